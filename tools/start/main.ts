import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endLeftOvers, findNoted, writePidFile } from '../servers/pid-file.ts';
import { removePostgresData } from '../servers/postgres-home.ts';
import { readDemoAccess, startStack } from '../stack.ts';
import type { AppName, Stack } from '../stack.ts';
import { banner } from './banner.ts';
import { ReadableLog } from './readable-log.ts';

const DIR = join(import.meta.dirname, '../../.signalbox');
const LOCK = join(DIR, 'start.lock');
const PORTS = { api: 3000, 'sms-worker': 3001, 'dlr-worker': 3002, 'chatapp-worker': 3003, 'otp-worker': 3004, postgres: 54_329, redis: 63_790 };
/** A Ctrl-C reaches us from the terminal, from npm and from the bootstrap; only a later one is a second. */
const SAME_SIGNAL_MS = 1_000;

const { env } = process;
const log = new ReadableLog(process.stdout, process.stdout.isTTY && !env.NO_COLOR && env.CI !== 'true');
const isRaw = env.LOG === 'json';
const giveUp = new AbortController();
let stoppedAt: number | undefined;
let stack: Stack | undefined;

// A reader that went away is no reason to stop serving.
process.stdout.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, onSignal);
await main();

async function main(): Promise<void> {
  const { reset } = readArguments();
  await takeLock();
  if (reset) removeData();
  try {
    stack = await startStack({
      dir: DIR,
      databaseUrl: env.DATABASE_URL,
      queueUrl: env.QUEUE_URL,
      ports: { ...PORTS, api: Number(env.PORT) || PORTS.api },
      onLine: writeLine,
      onEvent: (text) => log.say(text),
      signal: giveUp.signal,
    });
  } catch (error) {
    if (!giveUp.signal.aborted) log.say(`\nSignalbox did not start: ${(error as Error).message}`);
    exit(giveUp.signal.aborted ? 0 : 1);
    return;
  }
  if (giveUp.signal.aborted) return stop(stack);
  log.say(banner(stack, DIR, (env.ALLOW_PRIVATE_WEBHOOKS ?? '1') === '1'));
}

function readArguments(): { reset: boolean } {
  try {
    return { reset: false, ...parseArgs({ options: { reset: { type: 'boolean' } } }).values };
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm start [-- --reset]\n  --reset  begin with an empty database`);
    process.exit(1);
  }
}

/** One run per data folder. What an earlier run left behind when it was killed is ended. */
async function takeLock(): Promise<void> {
  mkdirSync(DIR, { recursive: true, mode: 0o711 });
  const other = findNoted(LOCK);
  if (other !== undefined) {
    const { apiUrl } = readDemoAccess(DIR);
    console.error(`Signalbox is already running here (process ${other}${apiUrl ? `, ${apiUrl}` : ''}). Stop it first: kill ${other}`);
    process.exit(1);
  }
  rmSync(LOCK, { force: true });
  writePidFile(LOCK, process.pid, 'SIGTERM', 'wx');
  const ended = await endLeftOvers(DIR);
  if (ended > 0) log.say(`Ended ${ended} processes that an earlier run had left behind.`);
}

function removeData(): void {
  log.say('Removing all data…');
  removePostgresData(DIR);
  rmSync(DIR, { recursive: true, force: true });
  mkdirSync(DIR, { mode: 0o711 });
  writePidFile(LOCK, process.pid, 'SIGTERM', 'wx');
}

function writeLine(app: AppName, line: string): void {
  if (!isRaw) log.line(app, line);
  else log.say(line);
}

function onSignal(): void {
  const now = performance.now();
  if (stoppedAt === undefined) {
    stoppedAt = now;
    log.say('\nStopping… (Ctrl-C again to stop at once)');
    giveUp.abort();
    if (stack) void stop(stack);
  } else if (now - stoppedAt > SAME_SIGNAL_MS) {
    log.say('Stopping at once.');
    void endLeftOvers(DIR, 0).finally(() => exit(1));
  }
}

async function stop(running: Stack): Promise<void> {
  await running.stop();
  log.say('Stopped.');
  exit(0);
}

function exit(code: number): void {
  if (existsSync(LOCK)) rmSync(LOCK);
  process.exit(code);
}
