import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from './wait-for.ts';

/** A process as noted in a file. A pid alone would not do: the system gives it to somebody else later. */
interface Noted {
  pid: number;
  /** When it was born, in the system's own terms. */
  born: string;
  /** The signal that asks it to end. */
  stopSignal: NodeJS.Signals;
}

/** No drain of an app takes longer. */
const PATIENCE_MS = 30_000;
/** Maximum time in which the system removes a killed process. */
const KILL_MS = 10_000;
const SERVERS = new Set(['postgres.pid', 'redis.pid']);

/** Notes a running process, so that a later run can find it and end it. */
export function writePidFile(
  path: string,
  pid: number,
  stopSignal: NodeJS.Signals = 'SIGTERM',
  flag = 'w',
): void {
  const noted: Noted = { pid, born: birthOf(pid) ?? 'unknown', stopSignal };
  writeFileSync(path, JSON.stringify(noted), { flag });
}

/** The pid in the file when that very process still runs, else undefined. */
export function findNoted(path: string): number | undefined {
  const noted = readPidFile(path);
  return noted && birthOf(noted.pid) === noted.born ? noted.pid : undefined;
}

/**
 * Ends every process noted in a folder's `*.pid` files that still runs, and removes the files: the servers after those
 * that use them. A pid that belongs to somebody else by now is left alone.
 *
 * @param patienceMs how long one may take to end by itself before it is killed
 * @param onKill called with a sentence for each that is killed
 * @returns how many were ended
 */
export async function endLeftOvers(
  folder: string,
  patienceMs = PATIENCE_MS,
  onKill?: (text: string) => void,
): Promise<number> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.pid'));
  const end = (names: string[]) =>
    Promise.all(names.map((name) => endNoted(join(folder, name), patienceMs, onKill)));
  const users = await end(files.filter((name) => !SERVERS.has(name)));
  const servers = await end(files.filter((name) => SERVERS.has(name)));
  return [...users, ...servers].filter(Boolean).length;
}

/**
 * Asks a process that need not be a child of ours to end, and kills it if it does not within `patienceMs`, before which
 * it calls `onKill`.
 */
export async function endProcess(
  pid: number,
  stopSignal: NodeJS.Signals,
  patienceMs: number,
  onKill?: () => void,
): Promise<void> {
  const born = birthOf(pid);
  if (born === undefined) return;
  const isGone = () => birthOf(pid) !== born;
  process.kill(pid, stopSignal);
  try {
    await waitFor(isGone, { timeoutMs: patienceMs, otherwise: 'it did not end' });
  } catch {
    if (!isGone()) {
      onKill?.();
      process.kill(pid, 'SIGKILL');
    }
    await waitFor(isGone, { timeoutMs: KILL_MS, otherwise: `process ${pid} could not be killed` });
  }
}

/** Returns the command line of a process; empty when it does not exist. */
export function commandLineOf(pid: number): string {
  try {
    return process.platform === 'linux' ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ps(pid, 'command');
  } catch {
    return '';
  }
}

async function endNoted(path: string, patienceMs: number, onKill?: (text: string) => void): Promise<boolean> {
  const pid = findNoted(path);
  const { stopSignal = 'SIGTERM' } = readPidFile(path) ?? {};
  const say = () =>
    onKill?.(
      `${basename(path, '.pid')} (process ${pid}) did not stop within ${patienceMs / 1000} s of ${stopSignal}; killing it`,
    );
  if (pid !== undefined) await endProcess(pid, stopSignal, patienceMs, say);
  rmSync(path, { force: true });
  return pid !== undefined;
}

function readPidFile(path: string): Noted | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Noted;
  } catch {
    return undefined;
  }
}

/**
 * Returns the birth time of a process, which differs from that of a later one with the same pid; undefined for none or
 * a zombie.
 */
function birthOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return ps(pid, 'lstart');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold anything, so fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

function ps(pid: number, field: 'lstart' | 'command'): string {
  return execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
}
