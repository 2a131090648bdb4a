import { setTimeout } from 'node:timers/promises';

/** Rounds in progress at the same time: while one waits for a gateway, the other works. */
const CONCURRENCY = 2;

/** Longest wait before a round, which may be needed no more after a second. */
const MAX_WAIT_MS = 1_000;

interface Pauses {
  /**
   * Returns the milliseconds to wait before any round; 0 by default. A round that comes after a second of a longer wait
   * asks again itself.
   */
  waitMs?: () => number;
  /**
   * Returns the milliseconds from the beginning of the last round to that of the next one that a wake-up requests, so
   * that more work shares it; 0 by default.
   */
  gapMs?: () => number;
}

/** Runs rounds of some work while there is any, and starts again when it is woken. */
export class PollLoop {
  private readonly runs = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private isWanted = false;
  /** When the last round began, on the clock of `performance.now()`. */
  private beganAt = -Infinity;
  /** True while the next round waits for the end of the gap: it serves every wake-up until then. */
  private isInGap = false;

  /**
   * @param round resolves with the milliseconds until the next round, or undefined when nothing is left; never rejects
   */
  constructor(
    private readonly round: () => Promise<number | undefined>,
    private readonly pauses: Pauses = {},
  ) {}

  get isRunning(): boolean {
    return this.runs.size > 0;
  }

  /** Runs a round soon, since there may be work. */
  wake(): void {
    this.isWanted = true;
    if (this.isInGap || this.runs.size >= CONCURRENCY || this.closing.signal.aborted) return;
    const run = this.run().finally(() => this.runs.delete(run));
    this.runs.add(run);
  }

  /** Starts no more rounds and resolves when those in progress have ended. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.runs);
  }

  private async run(): Promise<void> {
    await this.gap();
    let delayMs: number | undefined = 0;
    while (delayMs !== undefined) {
      await this.sleep(Math.max(delayMs, Math.min(this.pauses.waitMs?.() ?? 0, MAX_WAIT_MS)));
      if (this.closing.signal.aborted) return;
      this.isWanted = false;
      this.beganAt = performance.now();
      delayMs = await this.round();
      if (delayMs === undefined && this.isWanted && !this.isInGap) {
        await this.gap();
        delayMs = 0;
      }
    }
  }

  private async gap(): Promise<void> {
    const leftMs = this.beganAt + (this.pauses.gapMs?.() ?? 0) - performance.now();
    this.isInGap = leftMs > 0;
    await this.sleep(leftMs);
    this.isInGap = false;
  }

  private async sleep(delayMs: number): Promise<void> {
    if (delayMs > 0)
      await setTimeout(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}
