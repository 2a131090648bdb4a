// The client of the other examples of this folder, and a repeat of calls that failed for a moment.
import { setTimeout as wait } from 'node:timers/promises';
import { type Failure, createSignalbox } from '@signalbox/client';

const TRIES = 5;
const { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: apiKey } = process.env;

export const client = createSignalbox({ url: url ?? '', apiKey: apiKey ?? '' });

/** Ends the program with its usage, or when the address or the key of the API is missing. */
export function requireUsage(isGiven: boolean, usage: string): void {
  if (isGiven && url && apiKey) return;
  console.error(`Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… ${usage}`);
  process.exit(1);
}

/** A refused request, with the `error` of the answer. */
export class Refused extends Error {
  readonly error: Failure['error'];

  constructor(error: Failure['error']) {
    super(`${error.code}: ${error.message} (request ${error.requestId})`);
    this.error = error;
  }
}

interface Outcome<T> {
  data?: T | undefined;
  error?: Failure | Error | undefined;
  response?: Response | undefined;
}

/** Makes a call, up to five times if that may help: an `Idempotency-Key` makes all tries one send. */
export async function untilAnswered<T>(call: () => Promise<Outcome<T>>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { data, error, response } = await call();
    if (data !== undefined) return data;
    const refused = error && 'error' in error ? new Refused(error.error) : undefined;
    // Without an answer the request may have arrived: the key makes the repeat harmless.
    const failure = refused ?? new Error(`No answer: ${error?.message}`);
    if (attempt === TRIES || refused?.error.retryable === false) throw failure;
    const seconds = Number(response?.headers.get('retry-after') ?? 1);
    console.error(`${failure.message} (trying again in ${seconds} s)`);
    await wait(seconds * 1000);
  }
}

/** Runs the program of an example, and prints why it failed. */
export function run(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
