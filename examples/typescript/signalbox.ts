// The client of the other examples of this folder, and a repeat of calls that failed for a moment.
import { setTimeout as wait } from 'node:timers/promises';
import { SignalboxError, createSignalbox } from '@signalbox/client';

const TRIES = 5;
const { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: apiKey } = process.env;

export const client = createSignalbox({ url: url ?? '', apiKey: apiKey ?? '' });

/** Ends the program with its usage, or when the address or the key of the API is missing. */
export function requireUsage(isGiven: boolean, usage: string): void {
  if (isGiven && url && apiKey) return;
  console.error(`Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… ${usage}`);
  process.exit(1);
}

interface Outcome<T> {
  data?: T | undefined;
  error?: unknown;
}

/** Makes a call, up to five times if that may help: an `Idempotency-Key` makes all tries one send. */
export async function untilAnswered<T>(call: () => Promise<Outcome<T>>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { data, error } = await call();
    if (data !== undefined) return data;
    if (!(error instanceof SignalboxError) || !error.error.retryable || attempt === TRIES) throw error;
    // Without an answer the request may have arrived: the key makes the repeat harmless.
    console.error(`${error.message} (trying again in ${error.retryAfterSeconds} s)`);
    await wait(error.retryAfterSeconds * 1000);
  }
}

/** Runs the program of an example, and prints why it failed. */
export function run(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(describe(error));
    process.exitCode = 1;
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof SignalboxError) || error.error.code === 'no_answer') return error.message;
  const { code, message, requestId } = error.error;
  return `${code}: ${message} (request ${requestId})`;
}
