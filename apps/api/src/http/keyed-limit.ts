import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { ApiError } from '../errors/api-error.ts';

/** Maximum number of calls under one key that run or wait. */
export const MAX_UNDER_KEY = 1_000;

/** Calls under one key: how many run, and those that wait for one of these to end, the first first. */
interface Calls {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits the work under the same key that runs concurrently, by default to one after the other. Work under different
 * keys runs concurrently.
 */
export class KeyedLimit {
  private readonly calls = new Map<string, Calls>();

  /** @param subject what calls under one key share, as the refusal names it: `the same code` */
  constructor(
    private readonly subject: string,
    private readonly max = 1,
  ) {}

  /**
   * @returns the outcome of `work`, which starts when earlier work has left room, whether that ended well or not
   * @throws ApiError rate_limited while MAX_UNDER_KEY calls run or wait under the key
   */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const calls = getOrInsert(this.calls, key, () => ({ running: 0, waiting: [] }));
    if (calls.running + calls.waiting.length >= MAX_UNDER_KEY) throw tooMany(this.subject);
    if (calls.running < this.max) calls.running += 1;
    else await new Promise<void>((resolve) => calls.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.end(key, calls);
    }
  }

  /** Hands the place of a call to the next one. */
  private end(key: string, calls: Calls): void {
    const next = calls.waiting.shift();
    if (next) return next();
    calls.running -= 1;
    if (calls.running === 0) this.calls.delete(key);
  }
}

function tooMany(subject: string): ApiError {
  const message = `More than ${MAX_UNDER_KEY} calls for ${subject} are in progress; try again in 1 s.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds: 1 });
}
