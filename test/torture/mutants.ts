import { createAccountKey } from '@signalbox/database/accounts/seed';
import { SCOPES } from '@signalbox/domain/scope';
import { type CheckAnswer, openDocument } from '../../apps/api/test/documented.ts';
import { rssMegabytes } from '../../bench/cpu.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Service, startService } from '../support/service.ts';
import { type Kept, keptMemory } from './heap.ts';
import { type Answer, type MutantRequest, MutantMaker, sendMutant } from './mutant-request.ts';
import { KnownIds, listOperations } from './operations.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { randomFrom } from './random.ts';

const CLIENTS = 16;
/** The memory is measured after each of these parts of a run, when no request is in progress. */
const PARTS = 6;
/** Growth of what is kept after a garbage collection, from the middle of a run to its end, that counts as flat. */
const FLAT_MB = 10;
const SHOWN = 25;

/** Sends requests that are derived from the examples of the OpenAPI document, and checks every answer against it. */
export async function runMutants({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { requests = 0, seed = 0 } = sizes;
  const inspector = await freePort();
  await using service = await startService({
    queue,
    ownPostgres: true,
    apps: ['api'],
    env: { NODE_OPTIONS: `--inspect=127.0.0.1:${inspector}` },
  });
  const run = await MutantRun.open(service, seed);
  const kept: Kept[] = [];
  const rss: number[] = [];
  for (let part = 0; part < PARTS; part += 1) {
    await run.send(requests / PARTS);
    kept.push(await keptMemory(inspector));
    rss.push(rssMegabytes(service.stack.process('api').pid ?? 0));
  }
  const growth = sumOf(kept.at(-1)!) - sumOf(kept[PARTS / 2 - 1]!);
  const isHealthy = await waitFor(() => service.stack.process('api').isReady(), {
    otherwise: 'not ready',
  }).then(
    () => true,
    () => false,
  );
  return {
    flows: [],
    figures: {
      ...run.figures(),
      'heap after garbage collections': megabytes(kept.map(({ heap }) => heap)),
      'buffers after garbage collections': megabytes(kept.map(({ external }) => external)),
      'resident memory': megabytes(rss),
      seed,
    },
    broken: [
      ...run.problems(),
      ...broken({
        [`the api grew by ${growth.toFixed(0)} MB`]: growth > FLAT_MB,
        'the api is not ready afterwards': !isHealthy,
        'the api ended and was started again': service.stack.process('api').pid !== run.pid,
      }),
    ],
  };
}

/** The requests of a run, and what was wrong with their answers. */
class MutantRun {
  readonly pid: number | undefined;
  private readonly maker: MutantMaker;
  private readonly ids: KnownIds;
  private readonly check: CheckAnswer;
  private readonly apiUrl: string;
  private readonly statuses: Record<string, number> = {};
  /** The first request of each kind of problem, and how many there were. */
  private readonly found = new Map<string, { count: number; request: MutantRequest; answer: string }>();
  private slowestMs = 0;
  private sent = 0;

  private constructor(service: Service, maker: MutantMaker, ids: KnownIds, check: CheckAnswer) {
    this.pid = service.stack.process('api').pid;
    this.apiUrl = service.stack.apiUrl;
    this.maker = maker;
    this.ids = ids;
    this.check = check;
  }

  static async open(service: Service, seed: number): Promise<MutantRun> {
    const { apiUrl, databaseUrl } = service.stack;
    const apiKey = await createAccountKey(databaseUrl, 'Mutants', 'test', { scopes: [...SCOPES] });
    const own = await service.query<{ id: string }>(
      'SELECT id FROM account UNION ALL SELECT id FROM api_key',
    );
    const ids = new KnownIds(own.map(({ id }) => id));
    const operations = await listOperations(apiUrl);
    const maker = new MutantMaker({ operations, ids, apiKey, random: randomFrom(seed) });
    return new MutantRun(service, maker, ids, await openDocument(apiUrl));
  }

  async send(requests: number): Promise<void> {
    let sent = 0;
    const client = async (): Promise<void> => {
      while (sent < requests) {
        sent += 1;
        this.sent += 1;
        if (this.sent % 10_000 === 0) console.log(`  ${this.sent} requests`);
        await this.sendOne(this.maker.make());
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  figures(): Outcome['figures'] {
    return {
      'answers by status': JSON.stringify(this.statuses),
      'slowest answer': `${this.slowestMs.toFixed(0)} ms`,
    };
  }

  problems(): string[] {
    return [...this.found]
      .slice(0, SHOWN)
      .map(
        ([what, { count, request, answer }]) =>
          `${count} x ${what}\n      ${describe(request)}\n      ${answer}`,
      );
  }

  private async sendOne(request: MutantRequest): Promise<void> {
    const startedAt = performance.now();
    const answer = await sendMutant(this.apiUrl, request);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    this.statuses[answer.status] = (this.statuses[answer.status] ?? 0) + 1;
    const problem = this.problemOf(request, answer);
    if (problem !== undefined) this.note(problem, request, answer);
  }

  private problemOf(
    { method, path, operation }: MutantRequest,
    { status, type, text }: Answer,
  ): string | undefined {
    if (status === 'timeout') return `no answer to ${method} ${operation.path}`;
    if (typeof status === 'string') return undefined; // a refused body closes the connection
    if (status >= 500) return `${status} from ${method} ${operation.path}`;
    if (!type.startsWith('application/json') || text === '') return undefined;
    try {
      const body: unknown = JSON.parse(text);
      if (status < 300) this.ids.learn(operation.path, body);
      this.check(method, path, status, body);
      return undefined;
    } catch (error) {
      return `an answer outside the schema: ${(error as Error).message.split('\n')[0]?.replaceAll(/[0-9a-f-]{36}/g, '…')}`;
    }
  }

  private note(what: string, request: MutantRequest, answer: Answer): void {
    const known = this.found.get(what);
    if (known) known.count += 1;
    else this.found.set(what, { count: 1, request, answer: answer.text.slice(0, 400) });
  }
}

function describe({ method, path, headers, body }: MutantRequest): string {
  return `${method} ${path.slice(0, 400)} ${JSON.stringify({ ...headers, apikey: undefined })} ${body.toString().slice(0, 1_500)}`;
}

const sumOf = ({ heap, external }: Kept): number => heap + external;

const megabytes = (values: readonly number[]): string =>
  `${values.map((value) => value.toFixed(1)).join(', ')} MB`;
