import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { SupervisedProcess } from './supervised-process.ts';
import { waitFor } from './wait-for.ts';

const LOG_LINES = 12;

/** The recovery of Postgres after a crash reads up to a gigabyte of its log. */
const PATIENCE_MS = 300_000;

/** Empties the log of a server, which only its owner may read: an error of Postgres shows values of its rows. */
export function emptyLog(path: string): void {
  writeFileSync(path, '', { mode: 0o600 });
  chmodSync(path, 0o600); // a file that exists keeps its mode
}

/**
 * Waits until a server that was just started answers.
 *
 * @throws Error that ends with the last lines of its log, as soon as it stops or after five minutes
 */
export async function waitUntilUp(
  server: SupervisedProcess,
  answers: () => Promise<boolean>,
  logFile: string,
  signal?: AbortSignal,
): Promise<void> {
  const ask = () => {
    if (server.pid === undefined) throw new Error(`${server.name} stopped (${server.lastEnd})`);
    return answers();
  };
  try {
    await waitFor(ask, { timeoutMs: PATIENCE_MS, otherwise: `${server.name} did not answer`, signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const log = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
    throw new Error(`${(cause as Error).message}; its log ends:\n  ${log.join('\n  ')}`, { cause });
  }
}
