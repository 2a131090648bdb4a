import type { Clock } from '../src/smpp/clock.ts';

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  private time = 1_000;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.time + delayMs, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Timers that have not run and are not cancelled. */
  get pending(): number {
    return this.timers.size;
  }

  /** Runs the timers that are due within a time, in order; those that they set as well. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (let next = this.nextDue(end); next; next = this.nextDue(end)) {
      this.timers.delete(next);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }

  private nextDue(end: number): { at: number; run: () => void } | undefined {
    const due = [...this.timers].filter(({ at }) => at <= end);
    return due.toSorted((a, b) => a.at - b.at)[0];
  }
}
