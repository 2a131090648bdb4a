import { setTimeout as delay } from 'node:timers/promises';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { SCOPES } from '@signalbox/domain/scope';
import { type CheckAnswer, openDocument } from '../../apps/api/test/documented.ts';
import { rssMegabytes } from '../../bench/cpu.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Service, startService } from '../support/service.ts';
import { type Answer, type MutantRequest, MutantMaker, sendMutant } from './mutant-request.ts';
import { KnownIds, listOperations } from './operations.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { randomFrom } from './random.ts';

const CLIENTS = 16;
const SAMPLE_MS = 2_000;
/** Growth of the mean memory, from the middle third of a run to the last one, that counts as flat. */
const FLAT_MB = 25;
const SHOWN = 25;

/** Sends requests that are derived from the examples of the OpenAPI document, and checks every answer against it. */
export async function runMutants({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { requests = 0, seed = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: ['api'] });
  const run = await MutantRun.open(service, seed);
  const sampling = new AbortController();
  const memory = sampleMemory(service, sampling.signal);
  await run.send(requests);
  sampling.abort();
  const growth = growthOf(await memory);
  const isHealthy = await waitFor(() => service.stack.process('api').isReady(), {
    otherwise: 'not ready',
  }).then(
    () => true,
    () => false,
  );
  return {
    flows: [],
    figures: { ...run.figures(), 'growth of memory': `${growth.toFixed(1)} MB`, seed },
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
        if (sent % 10_000 === 0) console.log(`  ${sent} requests`);
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

async function sampleMemory(service: Service, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  while (!signal.aborted) {
    const { pid } = service.stack.process('api');
    if (pid !== undefined) samples.push(rssMegabytes(pid));
    await delay(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
  }
  return samples;
}

function growthOf(samples: readonly number[]): number {
  const third = Math.floor(samples.length / 3);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return mean(samples.slice(2 * third)) - mean(samples.slice(third, 2 * third));
}
