import { setTimeout } from 'node:timers/promises';

/** Rounds in progress at the same time: while one waits for a gateway, the other works. */
const CONCURRENCY = 2;

interface Pauses {
  /** Returns the milliseconds to wait before any round; 0 by default. */
  waitMs?: () => number;
  /**
   * Returns the milliseconds until the next round when it was requested during the current one, so that more work
   * shares it.
   */
  gapMs?: () => number;
}

/** Runs rounds of some work while there is any, and starts again when it is woken. */
export class PollLoop {
  private readonly runs = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private isWanted = false;

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
    if (this.runs.size >= CONCURRENCY || this.closing.signal.aborted) return;
    const run = this.run().finally(() => this.runs.delete(run));
    this.runs.add(run);
  }

  /** Starts no more rounds and resolves when those in progress have ended. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.runs);
  }

  private async run(): Promise<void> {
    for (let delayMs: number | undefined = 0; delayMs !== undefined; ) {
      await this.sleep(Math.max(delayMs, this.pauses.waitMs?.() ?? 0));
      if (this.closing.signal.aborted) return;
      this.isWanted = false;
      delayMs = (await this.round()) ?? (this.isWanted ? (this.pauses.gapMs?.() ?? 0) : undefined);
    }
  }

  private async sleep(delayMs: number): Promise<void> {
    if (delayMs > 0)
      await setTimeout(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}
