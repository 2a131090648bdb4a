import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { rssMegabytes } from '../../bench/cpu.ts';
import { slope } from '../../bench/line-fit.ts';
import { APPS } from '../../tools/servers/app-process.ts';
import { hang } from '../support/hang.ts';
import { type Service, startService } from '../support/service.ts';
import { type Fault, POSTGRES, REDIS } from './dependencies.ts';
import { Killer } from './killer.ts';
import { describeLost } from './lost-rows.ts';
import { type Outcome, type RunOptions, broken, brokenFlows } from './outcome.ts';
import { randomFrom, shuffle } from './random.ts';
import { Traffic, endless } from './traffic.ts';

const SAMPLE_MS = 5_000;
/** Seconds for which a dependency is stopped or frozen. */
const FAULT_SECONDS = 10;
const DRAIN_SECONDS = 60;
/** Seconds after which what is still missing counts as lost. */
const PATIENCE_SECONDS = 300;

/** Runs a steady load of all kinds for minutes, with a fault every so often, and watches what grows. */
export async function runSoak({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { minutes = 0, every = 0, rate = 0, seed = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: APPS });
  await using traffic = await Traffic.start(service, endless(rate));
  const random = randomFrom(seed);
  const killer = new Killer(service, random);
  const watch = new Watch(service);
  const faults = faultsOf(service, killer);
  const endsAt = Date.now() + minutes * 60_000;
  const made: string[] = [];
  while (Date.now() + every * 1_000 < endsAt) {
    await delay(every * 1_000);
    const round = Math.floor(made.length / faults.length);
    const [name, make] = shuffle(randomFrom(seed + round), faults)[made.length % faults.length]!;
    console.log(`  ${name}`);
    made.push(name);
    await make(service, FAULT_SECONDS);
  }
  await delay(Math.max(0, endsAt - Date.now()));
  const growth = await watch.end();
  await killer.untilUp();
  await traffic.stop();
  const flows = await traffic.drain(Date.now(), PATIENCE_SECONDS);
  for (const { name, tally } of flows) await describeLost(service, name, tally.lost);
  const failures = Object.keys(traffic.failures());
  const allowed = new Set(['503', ...(killer.kills['api'] ? ['ECONNREFUSED', 'ECONNRESET'] : [])]);
  return {
    flows,
    figures: { faults: made.join(', '), ...growth, ...traffic.calls(), seed },
    broken: [
      ...brokenFlows(flows, DRAIN_SECONDS),
      ...broken({ [`calls failed: ${failures.join(', ')}`]: failures.some((name) => !allowed.has(name)) }),
    ],
  };
}

/** A kill of each process, and the faults of Redis and Postgres. */
function faultsOf({ stack }: Service, killer: Killer): [name: string, make: Fault][] {
  const kills = APPS.map((app): [string, Fault] => [`${app} killed`, () => killer.killOne([app])]);
  const postgres: Record<string, Fault> = { ...POSTGRES, hanging: hangPostgres };
  return [
    ...kills,
    ...Object.entries(postgres).map(([name, make]): [string, Fault] => [`Postgres ${name}`, make]),
    ...Object.entries(stack.redis ? REDIS : {}).map(([name, make]): [string, Fault] => [
      `Redis ${name}`,
      make,
    ]),
  ];
}

async function hangPostgres({ stack }: Service, seconds: number): Promise<void> {
  const wake = hang(stack.postgres?.process.pid ?? 0);
  await delay(seconds * 1_000);
  wake();
}

interface Point {
  minutes: number;
  mb: number;
}

/** Samples what must not grow: files and memory of each app, keys of Redis, dead rows, and the kept log of Postgres. */
class Watch {
  private readonly series = new Map<string, Point[]>();
  private readonly ending = new AbortController();
  private readonly done: Promise<void>;
  private readonly service: Service;

  constructor(service: Service) {
    this.service = service;
    this.done = this.run();
  }

  /** @returns of each series its first, highest and last value, and its growth a minute */
  async end(): Promise<Record<string, string>> {
    this.ending.abort();
    await this.done;
    return Object.fromEntries(Array.from(this.series, ([name, points]) => [name, describe(points)]));
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.sample();
      await delay(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sample(): Promise<void> {
    for (const app of APPS) {
      const { pid } = this.service.stack.process(app);
      if (pid === undefined) continue;
      this.add(`${app} MB`, () => rssMegabytes(pid));
      this.add(`${app} files`, () => readdirSync(`/proc/${pid}/fd`).length);
    }
    const keys = await countKeys(this.service).catch(() => undefined);
    if (keys !== undefined) this.add('Redis keys', () => keys);
    const [row] = await this.service.query<{ dead: number; wal: number }>(STATE).catch(() => []);
    if (!row) return;
    this.add('dead rows', () => row.dead);
    this.add('WAL MB', () => row.wal);
  }

  /** Leaves out what a process that just ended cannot say. */
  private add(name: string, read: () => number): void {
    const points = this.series.get(name) ?? [];
    this.series.set(name, points);
    try {
      points.push({ minutes: performance.now() / 60_000, mb: read() });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

const STATE = `
  SELECT sum(n_dead_tup)::float8 AS dead, (SELECT sum(size) FROM pg_ls_waldir())::float8 / 1048576 AS wal
    FROM pg_stat_user_tables`;

async function countKeys({ stack }: Service): Promise<number | undefined> {
  if (!stack.redis) return undefined;
  const redis = new Redis(stack.redis.url, {
    lazyConnect: true,
    commandTimeout: 1_000,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.dbsize();
  } finally {
    redis.disconnect();
  }
}

function describe(points: readonly Point[]): string {
  const values = points.map(({ mb }) => mb);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const shown = [first, Math.max(...values), last].map((value) => value.toFixed(0));
  return `${shown[0]} at first, ${shown[1]} at most, ${shown[2]} at last, ${slope(points).toFixed(1)} a minute`;
}
