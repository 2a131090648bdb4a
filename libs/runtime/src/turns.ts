import { setTimeout } from 'node:timers/promises';

/** Turns under way at once: while one waits for a gateway, the other works. */
const CONCURRENCY = 2;

interface Pauses {
  /** How long to wait before any turn. */
  waitMs?: () => number;
  /** How long to wait before a turn that follows another only because it was asked for meanwhile: more comes together until then. */
  againMs?: number;
}

/** Takes turns at some work for as long as there is any, and begins again when it is woken. */
export class Turns {
  private readonly runs = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private wanted = false;

  /**
   * @param turn resolves with how long to rest before the next turn, or undefined when there is nothing left to do; it never rejects
   */
  constructor(
    private readonly turn: () => Promise<number | undefined>,
    private readonly pauses: Pauses = {},
  ) {}

  /** Whether turns are under way. */
  get isServing(): boolean {
    return this.runs.size > 0;
  }

  /** There may be something to do. */
  wake(): void {
    this.wanted = true;
    if (this.runs.size >= CONCURRENCY || this.closing.signal.aborted) return;
    const run = this.run().finally(() => this.runs.delete(run));
    this.runs.add(run);
  }

  /** Takes no more turns, and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.runs);
  }

  private async run(): Promise<void> {
    for (let restMs: number | undefined = 0; restMs !== undefined; ) {
      await this.rest(Math.max(restMs, this.pauses.waitMs?.() ?? 0));
      if (this.closing.signal.aborted) return;
      this.wanted = false;
      restMs = (await this.turn()) ?? (this.wanted ? (this.pauses.againMs ?? 0) : undefined);
    }
  }

  private async rest(delayMs: number): Promise<void> {
    if (delayMs > 0)
      await setTimeout(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}
