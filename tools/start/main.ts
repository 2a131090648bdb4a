import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDemoLink } from '@signalbox/database/users/seed';
import { DEMO } from '@signalbox/domain/demo';
import { endLeftOvers, findNoted, writePidFile } from '../servers/pid-file.ts';
import { removePostgresData } from '../servers/postgres-home.ts';
import { waitFor } from '../servers/wait-for.ts';
import { readDemoAccess, removeStackAccess, startStack, writeStackAccess } from '../stack.ts';
import type { AppName, Stack } from '../stack.ts';
import { Reloader } from '../dev/reloader.ts';
import { readArguments } from './arguments.ts';
import { banner } from './banner.ts';
import { ReadableLog } from './readable-log.ts';
import { reasonOf } from './start-error.ts';

const PORTS = {
  api: 3000,
  'sms-worker': 3001,
  'dlr-worker': 3002,
  'chatapp-worker': 3003,
  'otp-worker': 3004,
  postgres: 54_329,
  redis: 63_790,
};
/** Ports that debuggers attach to under `npm run dev`, or the next free ones. */
const INSPECT = {
  api: 9229,
  'sms-worker': 9230,
  'dlr-worker': 9231,
  'chatapp-worker': 9232,
  'otp-worker': 9233,
};
const QUEUE_DATA = ['redis', 'redis.password', 'stack.env'];
/** Keys and files that belong to the rows of the database, also to those of a DATABASE_URL. */
const DATABASE_DATA = [
  'postgres.password',
  'secrets.key',
  'media',
  'otp.pepper',
  'callback.secret',
  'demo.env',
];
/** One Ctrl-C arrives from the terminal, from npm and from the bootstrap; only a later one counts as the second. */
const SAME_SIGNAL_MS = 1_000;
const NOTICE_MS = 1_000;
/** Maximum time in which a run stops: its apps drain, and then Redis and Postgres end. */
const STOP_MS = 120_000;

const { env } = process;
const { reset: isReset, data: dir, dev: isDev, apps, port: apiPort } = readArguments(env.PORT);
const lock = join(dir, 'start.lock');
/** Exists while the run that holds the lock is stopping. */
const stopping = join(dir, 'start.stopping');
const log = new ReadableLog(process.stdout, process.stdout.isTTY && !env.NO_COLOR && env.CI !== 'true');
const isRaw = env.LOG === 'json';
const giveUp = new AbortController();
let stoppedAt: number | undefined;
let stack: Stack | undefined;
let reloader: Reloader | undefined;

// A closed pipe must not stop the service.
process.stdout.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, onSignal);
await main();

async function main(): Promise<void> {
  try {
    await takeLock();
  } catch (error) {
    // the lock may be of another run, and stays
    console.error(`Signalbox did not start: ${reasonOf(error)}`);
    process.exit(1);
  }
  try {
    if (isReset) removeData();
    stack = await startStack({
      dir,
      databaseUrl: env.DATABASE_URL,
      queueUrl: env.QUEUE_URL,
      ports: PORTS,
      apps,
      inspect: isDev ? INSPECT : undefined,
      bundled: !isDev,
      apiPort,
      onLine: writeLine,
      onEvent: (text) => log.say(text),
      signal: giveUp.signal,
    });
  } catch (error) {
    if (!giveUp.signal.aborted) console.error(`\nSignalbox did not start: ${reasonOf(error)}`);
    exit(giveUp.signal.aborted ? 0 : 1);
    return;
  }
  if (giveUp.signal.aborted) return stop(stack);
  writeStackAccess(dir, stack);
  const signIn = await signInUrl(stack);
  if (isDev) reloader = new Reloader(stack, apps, (text) => log.say(text));
  log.say(banner(stack, dir, (env.ALLOW_PRIVATE_WEBHOOKS ?? '1') === '1', signIn));
}

/** A link that signs in the demo user once; none in production, where `npm run cli -- create-user` makes one. */
async function signInUrl({ apiUrl, databaseUrl }: Stack): Promise<string | undefined> {
  if (env.NODE_ENV === 'production') return undefined;
  return `${apiUrl}/app/#token=${await createDemoLink(databaseUrl, DEMO.email, DEMO.account)}`;
}

/** Allows one run per data folder. Ends processes that a killed run left behind. */
async function takeLock(): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  if (!(await isFree())) {
    const { apiUrl } = readDemoAccess(dir);
    console.error(
      `Signalbox is already running here (process ${findNoted(lock)}${apiUrl ? `, ${apiUrl}` : ''}). Stop it first, with Ctrl-C there or: kill ${findNoted(lock)}`,
    );
    process.exit(1);
  }
  rmSync(lock, { force: true });
  rmSync(stopping, { force: true });
  writePidFile(lock, process.pid, 'SIGTERM', 'wx');
  const ended = await endLeftOvers(dir, undefined, (text) => log.say(text));
  if (ended > 0) log.say(`Ended ${ended} processes that an earlier run had left behind.`);
}

/** Waits for a run whose npm was just killed: it takes a moment to notice that, and then to stop. */
async function isFree(): Promise<boolean> {
  const isGone = () => findNoted(lock) === undefined;
  if (isGone()) return true;
  await waitFor(() => isGone() || existsSync(stopping), { timeoutMs: NOTICE_MS, otherwise: '' }).catch(
    () => {},
  );
  if (existsSync(stopping)) {
    log.say('Waiting for an earlier run to stop…');
    await waitFor(isGone, { timeoutMs: STOP_MS, otherwise: '' }).catch(() => {});
  }
  return isGone();
}

/** Removes our files only: `--data` may name a folder that holds others. */
function removeData(): void {
  const names = env.DATABASE_URL ? QUEUE_DATA : [...QUEUE_DATA, ...DATABASE_DATA];
  if (env.DATABASE_URL)
    log.say('DATABASE_URL is set: --reset leaves that database, its keys and its media as they are.');
  else {
    log.say('Removing all data…');
    removePostgresData(dir);
  }
  for (const name of names) rmSync(join(dir, name), { recursive: true, force: true });
}

function writeLine(app: AppName, line: string): void {
  if (!isRaw) log.line(app, line);
  else log.say(line);
}

function onSignal(): void {
  const now = performance.now();
  if (stoppedAt === undefined) {
    stoppedAt = now;
    writeFileSync(stopping, '');
    log.say('\nStopping… (Ctrl-C again to stop immediately)');
    giveUp.abort();
    if (stack) void stop(stack);
  } else if (now - stoppedAt > SAME_SIGNAL_MS) {
    log.say('Stopping immediately.');
    void endLeftOvers(dir, 0).finally(() => exit(1));
  }
}

async function stop(running: Stack): Promise<void> {
  reloader?.[Symbol.dispose]();
  removeStackAccess(dir);
  await running.stop();
  log.say('Stopped.');
  exit(0);
}

function exit(code: number): void {
  for (const file of [lock, stopping]) rmSync(file, { force: true });
  process.exit(code);
}
