import { withTimeout } from '@signalbox/runtime/with-timeout';

/** One row of a job, with the share of the job that it takes up. */
interface Row {
  id: string;
  weight: number;
}

export interface JobBatcherOptions {
  /** Adds one job that names these rows. */
  add: (ids: string[]) => Promise<unknown>;
  /** Maximum weight of one job. */
  maxWeight: number;
  /** True for rows that somebody waits for: their delay never grows. */
  isUrgent?: boolean;
  /** True when the jobs only wake the rounds of a lane: they are further apart than others. */
  wakesRounds?: boolean;
  /** Milliseconds after which an add counts as failed; 500 by default. */
  timeoutMs?: number;
  /** Called once for each job that could not be added. */
  onFailed: (error: unknown, ids: string[]) => void;
}

/** Limits of the milliseconds between two jobs: rows enqueued meanwhile share the next job. */
interface GapLimits {
  minMs: number;
  maxMs: number;
}

/** Longer gaps save little CPU, and every row waits for them. */
const GAP: GapLimits = { minMs: 10, maxMs: 25 };

const URGENT_GAP: GapLimits = { minMs: 10, maxMs: 10 };

/** Between jobs that only wake rounds: rounds are at least 25 ms apart anyway. */
const WAKING_GAP: GapLimits = { minMs: 25, maxMs: 50 };

/** A gap ends early once this many rows wait: a larger job would cost little less per row. */
const ENOUGH_ROWS = 500;

/** A gap that gathered this many rows is doubled for the next job; one that gathered fewer is halved. */
const MANY_ROWS = 16;

/** Rows beyond this weight are dropped and left to the rescue duty, so that a queue that hangs costs no memory. */
const MAX_WAITING = 100_000;

/**
 * Collects row ids into jobs. A lone row is enqueued immediately. The gap between jobs grows with the load, because a
 * job costs the same for one row as for many. Nobody waits for a job and a failed add fails no caller: rows are
 * committed before their job is enqueued, and the rescue duty re-enqueues rows whose job was lost.
 */
export class JobBatcher {
  private waiting: Row[] = [];
  private waitingWeight = 0;
  private readonly gapLimits: GapLimits;
  private gapMs: number;
  private running: Promise<void> | undefined;
  /** Ends the current gap; undefined outside of one. */
  private endGap: (() => void) | undefined;
  private isClosed = false;

  constructor(private readonly options: JobBatcherOptions) {
    const { isUrgent, wakesRounds } = options;
    this.gapLimits = isUrgent ? URGENT_GAP : wakesRounds ? WAKING_GAP : GAP;
    this.gapMs = this.gapLimits.minMs;
  }

  /** Adds rows to the next job. Each row takes up `weight` of a job's maximum. */
  enqueue(ids: readonly string[], weight = 1): void {
    const dropped = ids.filter((id) => !this.push({ id, weight }));
    if (dropped.length > 0) this.options.onFailed(new Error(this.refusal()), dropped);
    if (this.isFull()) this.endGap?.();
    if (this.waiting.length > 0) this.running ??= this.run();
  }

  /** Resolves when every row enqueued before is in a job, or its add has failed. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.endGap?.();
    await this.running;
  }

  private push(row: Row): boolean {
    const isTooMuch = this.waiting.length > 0 && this.waitingWeight + row.weight > MAX_WAITING;
    if (this.isClosed || isTooMuch) return false;
    this.waiting.push(row);
    this.waitingWeight += row.weight;
    return true;
  }

  private refusal(): string {
    return this.isClosed ? 'this process is shutting down' : 'too many rows wait for their jobs';
  }

  private isFull(): boolean {
    return this.waiting.length >= ENOUGH_ROWS || this.waitingWeight >= this.options.maxWeight;
  }

  /** Adds jobs until no row waits. The rows of one event-loop tick share the first. */
  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      await this.add(this.takeJob());
      if (!this.isClosed) await this.gap();
    }
    this.running = undefined; // in the tick that found no row waiting: a later row starts the next run
  }

  private async add(ids: string[]): Promise<void> {
    try {
      await withTimeout(this.options.add(ids), this.options.timeoutMs ?? 500, 'the queue');
    } catch (error) {
      this.options.onFailed(error, ids);
    }
  }

  /** Waits for more rows: until there are enough, at most the length of the gap. */
  private async gap(): Promise<void> {
    if (!this.isFull()) {
      const timer = setTimeout(() => this.endGap?.(), this.gapMs);
      await new Promise<void>((resolve) => (this.endGap = resolve));
      clearTimeout(timer);
      this.endGap = undefined;
    }
    this.gapMs = this.nextGapMs();
  }

  private nextGapMs(): number {
    const { minMs, maxMs } = this.gapLimits;
    return this.waiting.length < MANY_ROWS
      ? Math.max(minMs, this.gapMs / 2)
      : Math.min(maxMs, this.gapMs * 2);
  }

  private takeJob(): string[] {
    let weight = 0;
    let count = 0;
    for (const row of this.waiting) {
      if (count > 0 && weight + row.weight > this.options.maxWeight) break;
      weight += row.weight;
      count += 1;
    }
    this.waitingWeight -= weight;
    return this.waiting.splice(0, count).map(({ id }) => id);
  }
}
