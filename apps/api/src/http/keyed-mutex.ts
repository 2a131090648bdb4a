import { ApiError } from '../errors/api-error.ts';

/** Maximum number of calls under one key that run or wait. */
export const MAX_UNDER_KEY = 1_000;

/** Runs work under the same key one after the other. Work under different keys runs concurrently. */
export class KeyedMutex {
  private readonly queues = new Map<string, { last: Promise<unknown>; length: number }>();

  /** @param subject what calls under one key share, as the refusal names it: `the same code` */
  constructor(private readonly subject: string) {}

  /**
   * @returns the outcome of `work`, which starts when earlier work under the key has ended, well or not
   * @throws ApiError rate_limited while MAX_UNDER_KEY calls run or wait under the key
   */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const queue = this.queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length >= MAX_UNDER_KEY) throw tooMany(this.subject);
    const current = queue.last.then(work, work);
    this.queues.set(key, queue);
    queue.last = current;
    queue.length += 1;
    try {
      return await current;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.queues.delete(key);
    }
  }
}

function tooMany(subject: string): ApiError {
  const message = `More than ${MAX_UNDER_KEY} calls for ${subject} are in progress; try again in 1 s.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds: 1 });
}
