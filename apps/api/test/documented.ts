import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Operation {
  responses: Record<string, { content?: { 'application/json'?: { schema: object } } }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/** Checks an answer against the OpenAPI document. @throws Error with each difference */
export type CheckAnswer = (method: string, path: string, status: number, body: unknown) => void;

/** Lasts as long as the Jest worker: every API of a run has the same document. */
const worker = globalThis as { documented?: CheckAnswer };

/** Compiles the OpenAPI document of a running API, once per worker. A member that it does not list is an error too. */
export async function openDocument(apiUrl: string): Promise<CheckAnswer> {
  return (worker.documented ??= await compileDocument(apiUrl));
}

async function compileDocument(apiUrl: string): Promise<CheckAnswer> {
  const document = closed(await (await fetch(`${apiUrl}/docs/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  const paths = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));
  // a path without parameters is more specific
  paths.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
  const validators = new Map<string, ValidateFunction>();
  return (method, path, status, body) => {
    const found = paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.path;
    const operation = found === undefined ? undefined : document.paths[found]?.[method.toLowerCase()];
    if (found === undefined || !operation) return;
    const key = status in operation.responses ? String(status) : `${Math.floor(status / 100)}XX`;
    const ref = `document#/paths/${pointer(found)}/${method.toLowerCase()}/responses/${key}/content/application~1json/schema`;
    const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
    validators.set(ref, validate);
    if (!validate(body))
      throw new Error(
        `${method} ${path} answers ${status} otherwise than documented: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2_000)}`,
      );
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function pointer(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Refuses members that a schema does not list. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== 'object') return node;
  const members = Object.fromEntries(Object.entries(node).map(([name, each]) => [name, closed(each)]));
  const isObject = members['type'] === 'object' && members['properties'] !== undefined;
  return isObject && !('additionalProperties' in members)
    ? { ...members, additionalProperties: false }
    : members;
}
