/** Too many callers wait already: the call was refused and nothing was done. The API answers 503 with Retry-After. */
export class OverloadedError extends Error {
  override name = 'OverloadedError';
}

/** The process is shutting down and takes no more work. */
export class ClosedError extends Error {
  override name = 'ClosedError';
}

export interface GroupCommitOptions<T> {
  /** The most weight one flush carries; an item heavier than this is flushed alone. */
  maxBatch: number;
  /** The most weight that may wait for a flush; a call beyond it gets OverloadedError. One item always may. */
  maxWaiting: number;
  /** The weight of an item, 1 unless told. */
  weigh?: (item: T) => number;
  /** How many flushes may be under way at once, 1 unless told. More than one gives up the order of flushes. */
  concurrency?: number;
}

interface Waiting<T, R> {
  item: T;
  weight: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects the calls that arrive while a flush is in flight and flushes them together: one statement, many callers answered.
 * There are no timers: a lone call is flushed at once, and under load batches grow by themselves (design, section 1).
 * A flush that fails rejects just the callers of that flush.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private waitingWeight = 0;
  private running = 0;
  private readonly runs = new Set<Promise<void>>();
  private closed = false;

  /**
   * @param flush does the work of a batch and returns one result per item, in order
   */
  constructor(
    private readonly flush: (items: T[]) => Promise<R[]>,
    private readonly options: GroupCommitOptions<T>,
  ) {}

  /**
   * Resolves with the item's own result once its flush is done.
   *
   * @throws OverloadedError when too much is waiting, ClosedError after close(), or what the flush threw
   */
  add(item: T): Promise<R> {
    if (this.closed) return Promise.reject(new ClosedError('this process is shutting down'));
    const weight = this.options.weigh?.(item) ?? 1;
    if (this.waiting.length > 0 && this.waitingWeight + weight > this.options.maxWaiting) {
      return Promise.reject(new OverloadedError('too many calls are waiting'));
    }
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ item, weight, resolve, reject });
      this.waitingWeight += weight;
      if (this.running < (this.options.concurrency ?? 1)) this.start();
    });
  }

  /** Takes no more calls and resolves when all that were accepted are flushed or failed. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.runs.size > 0) await Promise.all(this.runs);
  }

  private start(): void {
    this.running += 1;
    const run = this.run().finally(() => this.runs.delete(run));
    this.runs.add(run);
  }

  /** Flushes batch after batch until nobody waits. The calls of the same turn of the event loop share the first batch. */
  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (this.waiting.length > 0) await this.flushBatch(this.takeBatch());
    this.running -= 1; // in the same turn as the look at `waiting`: a call made from here on starts the next run
  }

  private async flushBatch(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.flush(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, i) => waiting.resolve(results[i]!));
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }

  private takeBatch(): Waiting<T, R>[] {
    let weight = 0;
    let count = 0;
    for (const waiting of this.waiting) {
      if (count > 0 && weight + waiting.weight > this.options.maxBatch) break;
      weight += waiting.weight;
      count += 1;
    }
    this.waitingWeight -= weight;
    return this.waiting.splice(0, count);
  }
}
