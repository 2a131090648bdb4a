import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { APPS } from '../../tools/servers/app-process.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Service, startService } from '../support/service.ts';
import { describeLost } from './lost-rows.ts';
import { type Outcome, type RunOptions, broken, brokenFlows } from './outcome.ts';
import { Traffic } from './traffic.ts';

/** Makes a fault, and resolves when the dependency is healthy again. */
export type Fault = (service: Service, seconds: number) => Promise<void>;

const DRAIN_SECONDS = 60;
const PATIENCE_SECONDS = 300;
const LONGEST_MS = 4 * 3_600_000;
/** Longest time from the end of a fault to the next 2xx. */
const PROGRESS_MS = 5_000;

/** Faults of Redis, by name. */
export const REDIS: Record<string, Fault> = {
  flushed: async ({ stack }) => stack.redis?.flush(),
  killed: ({ stack }) => restartRedis(stack.redis, () => {}),
  'killed, without its log': ({ stack, dir }) =>
    restartRedis(stack.redis, () =>
      rmSync(join(dir, 'redis/appendonlydir'), { recursive: true, force: true }),
    ),
  stopped: async ({ stack }, seconds) => {
    await stack.redis?.stop();
    await delay(seconds * 1_000);
    await stack.redis?.start();
  },
  frozen: async ({ stack }, seconds) => {
    stack.redis?.process.kill('SIGSTOP');
    await delay(seconds * 1_000);
    stack.redis?.process.kill('SIGCONT');
  },
  full: async ({ stack }, seconds) => {
    await setMaxMemory(stack.queueUrl, '1mb');
    await delay(seconds * 1_000);
    await setMaxMemory(stack.queueUrl, '0');
  },
};

/** Faults of Postgres, by name. */
export const POSTGRES: Record<string, Fault> = {
  crashed: async ({ stack }) => stack.postgres?.crash(),
  stopped: async (service, seconds) => {
    await service.stack.postgres?.process.stop();
    await delay(seconds * 1_000);
    await service.stack.postgres?.process.start();
    await waitFor(() => answers(service), { otherwise: 'Postgres did not come back' });
  },
  frozen: async (service, seconds) => {
    const pids = await sessionsOf(service);
    signal(pids, 'SIGSTOP');
    await delay(seconds * 1_000);
    signal(pids, 'SIGCONT');
  },
  'read-only': async (service, seconds) => {
    await setReadOnly(service, 'on');
    await delay(seconds * 1_000);
    await setReadOnly(service, 'off');
  },
};

/** Makes each fault of Redis several times, under a load of all kinds. Callers must not notice. */
export async function runRedisFaults(options: RunOptions): Promise<Outcome> {
  return runFaults(options, REDIS, ({ failures }) =>
    broken({ [`calls failed: ${JSON.stringify(failures)}`]: Object.keys(failures).length > 0 }),
  );
}

/** Makes each fault of Postgres several times, under a load of all kinds. Callers may get 503 and nothing else. */
export async function runPostgresFaults(options: RunOptions): Promise<Outcome> {
  return runFaults(options, POSTGRES, answeredBy503);
}

/** Prints the log line of a response 500. */
function printBug(app: string, line: string): void {
  if (line.includes('http.failed')) console.log(`  ${app}: ${line}`);
}

/** The rules while Postgres is unavailable: callers get 503 with Retry-After and nothing else, and 2xx soon after it is back. */
export function answeredBy503({ failures, progressMs, impatient }: Seen): string[] {
  return broken({
    [`calls failed otherwise than by 503: ${JSON.stringify(failures)}`]: Object.keys(failures).some(
      (name) => name !== '503',
    ),
    [`${impatient} responses 503 had no Retry-After`]: impatient > 0,
    [`the next 2xx came ${(progressMs / 1_000).toFixed(1)} s after a fault`]: progressMs > PROGRESS_MS,
  });
}

/** Calls during some faults, as their clients saw them. */
export interface Seen {
  failures: Record<string, number>;
  /** The longest time from the end of a fault to the next 2xx. */
  progressMs: number;
  slowestMs: number;
  /** Returns 503 without a Retry-After. */
  impatient: number;
}

async function runFaults(
  { queue, sizes }: RunOptions,
  faults: Record<string, Fault>,
  rules: (seen: Seen) => string[],
): Promise<Outcome> {
  const { sms, chat, codes, rate = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: APPS, onLine: printBug });
  await using traffic = await Traffic.start(service, { sms, chat, codes, perSecond: rate });
  return await makeFaults({ service, traffic, sizes, faults, rules });
}

/** Faults, the traffic during them, and the rules for what its callers see. */
export interface FaultPlan {
  service: Service;
  traffic: Traffic;
  sizes: RunOptions['sizes'];
  faults: Record<string, Fault>;
  rules: (seen: Seen) => string[];
}

/** Makes each fault `times` times for `seconds`, spread over the traffic, and waits until nothing is missing. */
export async function makeFaults({ service, traffic, sizes, faults, rules }: FaultPlan): Promise<Outcome> {
  const { times = 0, seconds = 0 } = sizes;
  const plan = Array.from({ length: times }, () => Object.entries(faults)).flat();
  const waits: Record<string, number> = {};
  for (const [i, [name, make]] of plan.entries()) {
    await waitFor(() => traffic.progress() >= (i + 1) / (plan.length + 1), { timeoutMs: LONGEST_MS });
    await make(service, seconds);
    waits[name] = Math.max(waits[name] ?? 0, await nextAccept(traffic));
    console.log(`  ${name}`);
  }
  await traffic.sent();
  const flows = await traffic.drain(Date.now(), PATIENCE_SECONDS);
  for (const { name, tally } of flows) await describeLost(service, name, tally.lost);
  const seen = {
    failures: traffic.failures(),
    progressMs: Math.max(0, ...Object.values(waits)),
    slowestMs: traffic.slowestMs(),
    impatient: traffic.impatient(),
  };
  return {
    flows,
    figures: { faults: plan.length, 'ms to the next 2xx': JSON.stringify(waits), ...traffic.calls() },
    broken: [...brokenFlows(flows, DRAIN_SECONDS), ...rules(seen)],
  };
}

async function nextAccept(traffic: Traffic): Promise<number> {
  const [before, endedAt] = [traffic.accepted(), performance.now()];
  await waitFor(() => traffic.accepted() > before, { timeoutMs: LONGEST_MS });
  return Math.round(performance.now() - endedAt);
}

async function restartRedis(redis: Service['stack']['redis'], meanwhile: () => void): Promise<void> {
  await redis?.process.stop('SIGKILL');
  meanwhile();
  await redis?.start();
}

/** Below what it holds, Redis refuses each write. */
async function setMaxMemory(url: string, size: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.config('SET', 'maxmemory', size);
  } finally {
    redis.disconnect();
  }
}

async function sessionsOf(service: Service): Promise<number[]> {
  const rows = await service.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, name);
}

/** Ends all sessions, so that the setting applies to each of them, as after a failover. */
async function setReadOnly(service: Service, value: 'on' | 'off'): Promise<void> {
  const change = `ALTER DATABASE signalbox SET default_transaction_read_only = ${value}`;
  await service.query(`BEGIN READ WRITE; ${change}; COMMIT`);
  await service.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'signalbox' AND pid <> pg_backend_pid()`,
  );
}

function answers(service: Service): Promise<boolean> {
  return service.query('SELECT').then(
    () => true,
    () => false,
  );
}
