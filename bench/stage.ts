import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { JobQueue } from '@signalbox/queues/job-queue';
import { createLogger } from '@signalbox/runtime/logger';
import { removePostgresData } from '@signalbox/tools/servers/postgres-home';
import { type AppName, type Stack, startStack } from '@signalbox/tools/stack';
import pg from 'pg';
import { request } from 'undici';
import { type Breakdown, countCpu } from './breakdown.ts';
import type { Parts } from './cpu.ts';
import { COUNTING_SETTINGS, prepareCounting, prepareLog } from './postgres-work.ts';
import { type Profiles, profilesIn } from './profile.ts';
import { openJobCount } from './queue-jobs.ts';

export type QueueKind = 'redis' | 'postgres';

/** A stack for one bench, with its measuring instruments. */
export interface Stage extends AsyncDisposable {
  stack: Stack;
  db: pg.Client;
  /** Creates the webhook that the account's reports are pushed to. */
  createWebhook: (settings: {
    endPoint: string;
    maxInFlight: number;
    channel?: string;
    events?: string[];
    batch?: { max: number; waitMs: number };
  }) => Promise<void>;
  /** Opens the queue of the dlr-worker; the caller closes it. */
  openReportQueue: () => Promise<JobQueue>;
  /** Starts to count CPU. The returned function stops and returns the use of each process for `items` of work. */
  countCpu: (others: Parts) => Promise<(items: number) => Promise<Breakdown>>;
}

export interface StageOptions {
  /** Settings of the apps, over those of all benches. */
  env?: NodeJS.ProcessEnv;
  apps: readonly AppName[];
  queue?: QueueKind;
  /** Writes a CPU profile of each app, and prints its most expensive functions at the end. */
  profile: boolean;
  /** `warn` by default. The lines of `info` and `debug` are read and dropped. */
  logLevel?: string | undefined;
  /** Another checkout, built, whose stack runs instead of this one's. */
  checkout?: string | undefined;
}

const stopping = new AbortController();
const stages = new Set<Promise<Stage>>();

/** Closes all open and opening stages of an interrupted run. No stage opens afterwards. */
export async function closeStages(): Promise<void> {
  stopping.abort();
  await Promise.allSettled([...stages].map(async (opening) => (await opening)[Symbol.asyncDispose]()));
}

/** Key of the stored codes, with which a bench stores some. */
export const BENCH_PEPPER = Buffer.alloc(32, 'bench').toString('base64');

const BENCH_ENV = {
  SIMULATOR_DELAY_MS: '0',
  SIMULATOR_INBOX: '0',
  RATE_LIMIT_PER_MINUTE: '1000000000',
  ALLOW_PRIVATE_WEBHOOKS: '1',
  QUIET_HOURS: 'none',
  OTP_PEPPER: BENCH_PEPPER,
};

/** Starts a stack in a folder that is removed at the end: `await using stage = await openStage({ apps })`. */
export async function openStage(options: StageOptions): Promise<Stage> {
  stopping.signal.throwIfAborted();
  const opening = open(options);
  stages.add(opening);
  return opening;
}

async function open({
  apps,
  queue = 'redis',
  profile,
  logLevel = 'warn',
  checkout,
  env = {},
}: StageOptions): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  chmodSync(dir, 0o711); // Postgres may run as another user
  opened.defer(() => {
    removePostgresData(dir);
    rmSync(dir, { recursive: true, force: true });
  });
  const profiles = profile ? opened.use(profilesIn(join(dir, 'profiles'))) : undefined;
  const onLine = (app: AppName, line: string): void => {
    if (!ROUTINE_LINE.test(line)) console.log(`${app}: ${line}`);
  };
  const start = checkout === undefined ? startStack : await startOf(checkout);
  const stack = opened.use(
    await start({
      dir,
      queue,
      apps,
      bundled: !profile,
      env: { ...BENCH_ENV, LOG_LEVEL: logLevel, ...profiles?.env, ...env },
      postgresSettings: COUNTING_SETTINGS,
      onLine,
      onEvent: logStop,
      signal: stopping.signal,
    }),
  );
  namePids(profiles, stack, apps);
  const db = new pg.Client(stack.databaseUrl);
  await db.connect();
  opened.defer(() => db.end());
  await prepareCounting(db);
  await prepareLog(db);
  const { countJobs, close } = await openJobCount(stack.queueUrl);
  opened.defer(close);
  const everything = opened.move();
  let closed: Promise<void> | undefined;
  return {
    stack,
    db,
    createWebhook: (settings) => createWebhook(stack, settings),
    openReportQueue: () =>
      JobQueue.open(
        REPORT_QUEUES.OTHER,
        { url: stack.queueUrl, prefix: 'signalbox' },
        createLogger('bench', 'warn'),
      ),
    countCpu: (others) => countCpu(db, { ...partsOf(stack, apps), ...others }, countJobs),
    [Symbol.asyncDispose]: () => (closed ??= everything.disposeAsync()),
  };
}

/** A line of the level info or below. */
const ROUTINE_LINE = /^\{"level":(10|20|30|"(trace|debug|info)"),/;

async function startOf(checkout: string): Promise<typeof startStack> {
  const stack = (await import(join(resolve(checkout), 'tools/stack.ts'))) as {
    startStack: typeof startStack;
  };
  return stack.startStack;
}

function logStop(text: string): void {
  if (text.includes('stopped')) console.log(text);
}

function namePids(profiles: Profiles | undefined, stack: Stack, apps: readonly AppName[]): void {
  for (const app of apps) profiles?.names.set(stack.process(app).pid ?? 0, app);
}

async function createWebhook({ apiUrl, apiKey }: Stack, settings: object): Promise<void> {
  const { statusCode, body } = await request(`${apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', ...settings }),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`the webhook was not created: ${answer}`);
}

function partsOf(stack: Stack, apps: readonly AppName[]): Parts {
  const parts: Parts = { bench: [process.pid] };
  for (const app of apps) parts[app] = known(stack.process(app).pid);
  parts['postgres/*'] = known(stack.postgres?.process.pid);
  if (stack.redis) parts['redis'] = known(stack.redis.process.pid);
  return parts;
}

function known(pid: number | undefined): number[] {
  return pid === undefined ? [] : [pid];
}
