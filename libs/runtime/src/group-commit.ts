import { batchObserver } from './batch-metrics.ts';
import { bisect } from './bisect.ts';

/**
 * Thrown when too many calls are waiting: the call was refused and had no effect. The API returns 503 with Retry-After.
 */
export class OverloadedError extends Error {
  override name = 'OverloadedError';
}

/** Thrown while the process is shutting down: it accepts no more calls. */
export class ClosedError extends Error {
  override name = 'ClosedError';
}

export interface GroupCommitOptions<T> {
  /** Kind of batch in the metrics; without one, its sizes are not observed. */
  name?: string;
  /** Maximum weight of one flush; a heavier item is flushed alone. */
  maxBatch: number;
  /** Maximum weight waiting for a flush; a call beyond it throws OverloadedError. One item may always wait. */
  maxWaiting: number;
  /** Weight of an item; 1 by default. */
  weigh?: (item: T) => number;
  /**
   * The account of an item. When more items wait than one flush holds, it takes one item of each account in turn. Items
   * of an account are refused once they outweigh the space that is left for all. By default, items are flushed in the
   * order of their arrival, and share `maxWaiting`.
   */
  accountOf?: (item: T) => string;
  /** Maximum number of concurrent flushes; 1 by default. More than one gives up their order. */
  concurrency?: number;
  /**
   * Milliseconds between the end of a flush of 16 items or more and the start of the next, so that more share it. After
   * a smaller one the next starts as soon as about as many wait as in the largest recent flush, and after one or two
   * items immediately; a whole batch never waits. 0 by default. Not with `concurrency`.
   */
  gapMs?: number;
  /** Number of waiting items that end the gap early; by default only a whole batch does. */
  gapItems?: number;
  /** True for an error that one item of a flush causes: the others are then flushed without it. Never by default. */
  isItemFault?: (error: unknown) => boolean;
}

/**
 * The gap for sends and callbacks, whose callers wait for an answer. One statement costs less than two with half the
 * rows, but beyond 32 rows hardly: a longer wait would leave the api idle while its callers wait for their answers.
 */
export const INTAKE_GAP = { gapMs: 4, gapItems: 32 };

/** Minimum number of items of a flush that a whole gap follows. */
const MANY_ITEMS = 16;

/** Minimum number of items of the largest recent flush for any gap to follow. */
const SEVERAL_ITEMS = 3;

/** Part of the size of the largest recent flush that is left after each smaller one. */
const MEMORY = 0.95;

const never = (): boolean => false;

/** Receives the result of an item, or the error of its flush, once. */
export interface FlushEnd<R> {
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

interface Waiting<T, R> {
  item: T;
  weight: number;
  end: FlushEnd<R>;
  hasEnded: boolean;
}

/**
 * Collects calls that arrive while a flush is in flight and flushes them together: one statement answers many callers.
 * A lone call is flushed immediately, and batches grow with the load. There is no timer unless `gapMs` sets one, and
 * then only between flushes of several items. A failed flush rejects the callers of that flush only, and with
 * `isItemFault` only the caller whose item it refuses. With `accountOf` a call never waits for all calls of another
 * account.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private waitingWeight = 0;
  /** Waiting weight of each account, with `accountOf`. */
  private readonly weights = new Map<string, number>();
  private running = 0;
  /** Items of the largest recent flush, less with each flush since. */
  private recentItems = 0;
  /** Waiting items that end the current gap between flushes. */
  private wantedItems = Infinity;
  /** Ends the current gap; undefined outside of one. */
  private endGap: (() => void) | undefined;
  private readonly runs = new Set<Promise<void>>();
  private closed = false;
  private readonly observe: ((size: number) => void) | undefined;

  /**
   * @param flush processes a batch and returns one result per item, in order
   */
  constructor(
    private readonly flush: (items: T[]) => Promise<R[]>,
    private readonly options: GroupCommitOptions<T>,
  ) {
    this.observe = options.name === undefined ? undefined : batchObserver(options.name);
  }

  /**
   * Resolves with the item's own result once its flush is done.
   *
   * @throws OverloadedError when too much is waiting, ClosedError after close(), or what the flush threw
   */
  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => this.put(item, { resolve, reject }));
  }

  /** As `add`, for callers to whom a promise for each item costs too much: `end` gets the result or the error. */
  put(item: T, end: FlushEnd<R>): void {
    if (this.closed) return end.reject(new ClosedError('this process is shutting down'));
    const weight = this.options.weigh?.(item) ?? 1;
    if (!this.hasRoom(item, weight)) return end.reject(new OverloadedError('too many calls are waiting'));
    this.waiting.push({ item, weight, end, hasEnded: false });
    this.count(item, weight);
    if (this.running < (this.options.concurrency ?? 1)) this.start();
    if (this.hasEnough()) this.endGap?.();
  }

  /** Refuses further calls, and resolves when all accepted ones are flushed or failed. */
  async close(): Promise<void> {
    this.closed = true;
    this.endGap?.();
    while (this.runs.size > 0) await Promise.all(this.runs);
  }

  private start(): void {
    this.running += 1;
    const run = this.run().finally(() => this.runs.delete(run));
    this.runs.add(run);
  }

  /** Flushes batches until no call waits. Calls of one event-loop tick share the first batch. */
  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      await this.flushBatch(batch);
      await this.waitForMore(batch.length);
    }
    this.running -= 1; // in the tick that found `waiting` empty: a later call starts the next run
  }

  /**
   * Callers that call again as soon as they have their answer are back before the gap ends, and lose nothing by it.
   * Many items are a sign of load, in which larger flushes are worth the wait.
   */
  private async waitForMore(flushed: number): Promise<void> {
    const { gapMs = 0, gapItems = Infinity } = this.options;
    if (gapMs === 0) return;
    this.recentItems = Math.max(flushed, MEMORY * this.recentItems);
    this.wantedItems = flushed < MANY_ITEMS ? Math.min(this.recentItems, gapItems) : gapItems;
    if (this.closed || this.recentItems < SEVERAL_ITEMS || this.hasEnough()) return;
    const timer = setTimeout(() => this.endGap?.(), gapMs);
    await new Promise<void>((resolve) => (this.endGap = resolve));
    clearTimeout(timer);
    this.endGap = undefined;
  }

  private hasEnough(): boolean {
    return this.waiting.length >= this.wantedItems || this.waitingWeight >= this.options.maxBatch;
  }

  private async flushBatch(batch: Waiting<T, R>[]): Promise<void> {
    const flush = async (part: Waiting<T, R>[]): Promise<void> => {
      const results = await this.flush(part.map((waiting) => waiting.item));
      for (const [i, waiting] of part.entries()) {
        waiting.hasEnded = true;
        waiting.end.resolve(results[i]!);
      }
    };
    try {
      const refused = await bisect(batch, flush, this.options.isItemFault ?? never);
      for (const { item, error } of refused) item.end.reject(error);
    } catch (error) {
      // with bisection, a part may be flushed already
      for (const { end, hasEnded } of batch) if (!hasEnded) end.reject(error);
    }
  }

  private takeBatch(): Waiting<T, R>[] {
    if (this.waitingWeight > this.options.maxBatch) this.sortRoundRobin();
    let weight = 0;
    let count = 0;
    for (const waiting of this.waiting) {
      if (count > 0 && weight + waiting.weight > this.options.maxBatch) break;
      weight += waiting.weight;
      count += 1;
    }
    this.observe?.(weight);
    const batch = this.waiting.splice(0, count);
    for (const waiting of batch) this.count(waiting.item, -waiting.weight);
    return batch;
  }

  private hasRoom(item: T, weight: number): boolean {
    if (this.waiting.length === 0) return true;
    const left = this.options.maxWaiting - this.waitingWeight - weight;
    const own = this.weights.get(this.options.accountOf?.(item) ?? '') ?? 0;
    return left >= 0 && (own === 0 || own + weight <= left);
  }

  /** Adds the weight of an item to the waiting weight; a negative one removes it. */
  private count(item: T, weight: number): void {
    this.waitingWeight += weight;
    const account = this.options.accountOf?.(item);
    if (account === undefined) return;
    const own = (this.weights.get(account) ?? 0) + weight;
    if (own === 0) this.weights.delete(account);
    else this.weights.set(account, own);
  }

  /** Sorts the waiting items: the first of each account, then the second of each, and so on. */
  private sortRoundRobin(): void {
    const { accountOf } = this.options;
    if (!accountOf || this.weights.size < 2) return;
    const taken = new Map<string, number>();
    const placeOf = (waiting: Waiting<T, R>): { waiting: Waiting<T, R>; place: number } => {
      const account = accountOf(waiting.item);
      const place = taken.get(account) ?? 0;
      taken.set(account, place + 1);
      return { waiting, place };
    };
    const sorted = this.waiting.map(placeOf).toSorted((a, b) => a.place - b.place);
    this.waiting = sorted.map(({ waiting }) => waiting);
  }
}
