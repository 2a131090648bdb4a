import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answered, post } from '../support/load.ts';
import { type Service, startService } from '../support/service.ts';
import { Killer } from './killer.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { randomFrom, shuffle } from './random.ts';

const CONNECTIONS = 32;
/** Keys whose calls are made at the same time, in another order at each api. */
const KEYS_AT_ONCE = 10;
const PAUSE_MS = 50;
const DEADLINE_MS = 120_000;
const VICTIMS = ['api', 'twin', 'postgres'] as const;
/** Longest time from the first call with some keys to a kill. */
const LONGEST_DELAY_MS = 300;

/** The answers to the calls with one key. */
interface Use {
  key: string;
  bodies: Set<string>;
  unanswered: number;
}

/** Makes many calls with each of many idempotency keys, over two apis that are killed, in crossed orders. */
export async function runKeys({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { keys = 0, parallel = 0, kills = 0, seed = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: ['api'] });
  const twin = await service.startTwin('api');
  const callers = new Callers(service.stack.apiKey, [service.stack.apiUrl, twin.url]);
  const random = randomFrom(seed);
  const killer = new Killer(service, random, twin);
  const uses: Use[] = [];
  for (let from = 0; from < keys; from += KEYS_AT_ONCE) {
    const names = Array.from(
      { length: Math.min(KEYS_AT_ONCE, keys - from) },
      (_, i) => `key-${seed}-${from + i}`,
    );
    const using = callers.useAll(names, parallel, random);
    await delay(random() * LONGEST_DELAY_MS);
    if (isDue(kills, (from + KEYS_AT_ONCE) / keys, killer.count)) await killer.killOne(VICTIMS);
    uses.push(...(await using));
    if (uses.length % 100 === 0) console.log(`  ${uses.length} keys`);
  }
  await killer.untilUp();
  callers.close();
  return await outcomeOf(service, uses, { kills: JSON.stringify(killer.kills), ...callers.figures() });
}

/** True when a share of the keys is used and less than that share of the kills is made. */
function isDue(kills: number, share: number, made: number): boolean {
  return made < Math.min(kills, kills * share);
}

async function outcomeOf(service: Service, uses: Use[], figures: Outcome['figures']): Promise<Outcome> {
  const rows = await service.query<{ ref: string; count: number }>(
    `SELECT client_ref AS ref, count(*)::integer FROM submission GROUP BY client_ref`,
  );
  const stored = new Map(rows.map(({ ref, count }) => [ref, count]));
  const listOf = (isBroken: (use: Use) => boolean) => uses.filter(isBroken).map(({ key }) => key);
  const not = {
    'without an answer': listOf(({ unanswered }) => unanswered > 0),
    'with several answers': listOf(({ bodies }) => bodies.size > 1),
    'without exactly one submission': listOf(({ key }) => stored.get(key) !== 1),
  };
  const counts = Object.entries(not).map(([what, keys]) => [`keys ${what}`, keys.length] as const);
  return {
    flows: [],
    figures: { keys: uses.length, ...Object.fromEntries(counts), ...figures },
    broken: Object.entries(not).flatMap(([what, keys]) =>
      broken({ [`keys ${what}: ${keys.slice(0, 3).join(', ')}`]: keys.length > 0 }),
    ),
  };
}

/** Clients that repeat a call, to one api after the other, until it has a final answer. */
class Callers {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  private readonly apiKey: string;
  private readonly urls: readonly string[];
  private readonly statuses: Record<string, number> = {};
  private calls = 0;

  constructor(apiKey: string, urls: readonly string[]) {
    this.apiKey = apiKey;
    this.urls = urls;
  }

  /** Makes `parallel` calls with each key, in another random order for each of them. */
  async useAll(keys: string[], parallel: number, random: () => number): Promise<Use[]> {
    const uses = keys.map((key): Use => ({ key, bodies: new Set(), unanswered: 0 }));
    const rounds = Array.from({ length: parallel }, () => shuffle(random, uses));
    await Promise.all(rounds.flatMap((round, i) => round.map((use) => this.use(use, i))));
    return uses;
  }

  figures(): Outcome['figures'] {
    return { calls: this.calls, 'answers by status': JSON.stringify(this.statuses) };
  }

  close(): void {
    this.agent.destroy();
  }

  private async use(use: Use, first: number): Promise<void> {
    const body = { sender: 'SIGNALBX', to: '919800001234', text: 'Hello', type: 'TRANS', clientRef: use.key };
    const deadline = Date.now() + DEADLINE_MS;
    for (let turn = first; Date.now() < deadline; turn += 1) {
      const answer = await this.call(this.urls[turn % this.urls.length] ?? '', JSON.stringify(body), use.key);
      if (answer?.status === 200) {
        use.bodies.add(answer.text.replace(/"requestId":"[^"]*"/, ''));
        return;
      }
      await delay(PAUSE_MS);
    }
    use.unanswered += 1;
  }

  private async call(url: string, body: string, key: string): Promise<Answered | undefined> {
    this.calls += 1;
    const more = { 'idempotency-key': key };
    const answer = await post(this.agent, `${url}/v1/sms`, this.apiKey, body, more).catch(
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    const status = typeof answer === 'string' ? answer : String(answer.status);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    return typeof answer === 'string' ? undefined : answer;
  }
}
