import { pick } from './random.ts';

/** An operation of the OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  query: string[];
  takesKey: boolean;
  /** Examples of its JSON body. */
  bodies: object[];
  isUpload: boolean;
}

interface Documented {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: object }> }> };
}

/** Lists the operations of the document of a running api. */
export async function listOperations(apiUrl: string): Promise<Operation[]> {
  const document = (await (await fetch(`${apiUrl}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Documented>>;
  };
  delete document.paths['/v1/stream']; // its answer has no end
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(method, path, operation)),
  );
}

function toOperation(method: string, path: string, { parameters = [], requestBody }: Documented): Operation {
  const content = requestBody?.content ?? {};
  return {
    method: method.toUpperCase(),
    path,
    query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    bodies: Object.values(content['application/json']?.examples ?? {}).map(({ value }) => value),
    isUpload: 'multipart/form-data' in content,
  };
}

const KEPT = 200;

/** Ids that answers named, by the path of their list, so that requests reach what exists. */
export class KnownIds {
  private readonly byPath = new Map<string, string[]>();
  private readonly never: ReadonlySet<string>;

  /** @param never ids that no request may name */
  constructor(never: Iterable<string>) {
    this.never = new Set(never);
  }

  /** Keeps the ids in an answer to an operation. */
  learn(path: string, answer: unknown): void {
    for (const id of idsIn(answer)) if (!this.never.has(id)) this.keep(listOf(path), id);
  }

  /** An id for a path with parameters; undefined when nothing is known. */
  find(random: () => number, path: string): string | undefined {
    const known = this.byPath.get(listOf(path)) ?? [];
    const all = known.length > 0 && random() < 0.9 ? known : [...this.byPath.values()].flat();
    return all.length > 0 ? pick(random, all) : undefined;
  }

  private keep(path: string, id: string): void {
    const known = this.byPath.get(path) ?? [];
    this.byPath.set(path, known);
    if (known.includes(id)) return;
    known.push(id);
    if (known.length > KEPT) known.shift();
  }
}

/** `/v1/webhooks` for everything below it. */
function listOf(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}

function idsIn(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((each) => idsIn(each, name));
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([member, each]) => idsIn(each, member));
  const isId = /^(id|name|msisdn|data|.*Id)$/.test(name) && name !== 'requestId' && name !== 'accountId';
  return isId && (typeof value === 'string' || typeof value === 'number') && String(value).length < 80
    ? [String(value)]
    : [];
}
