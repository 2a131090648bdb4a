const MIN = 8;
/** Larger batches submit 8 % faster, but other accounts' messages and reports then wait longer for Postgres. */
export const MAX_BATCH_SIZE = 1_000;

/** Latency that a full batch may add to the gateway's lowest. */
const TARGET_MS = 250;

/**
 * Finds how many messages a gateway accepts in a quarter of a second, so that the next message waits no longer than
 * that. Starts small and doubles while batches are quick.
 */
export class BatchSize {
  private size = MIN;
  /** Lowest latency seen so far. */
  private baseMs = Number.POSITIVE_INFINITY;

  get messages(): number {
    return this.size;
  }

  /** Is true while batches have the maximum size. */
  get isAtMax(): boolean {
    return this.size === MAX_BATCH_SIZE;
  }

  grow(): void {
    this.size = Math.min(MAX_BATCH_SIZE, this.size * 2);
  }

  /** Adapts to the latency of a batch. */
  observe(messages: number, durationMs: number): void {
    this.baseMs = Math.min(this.baseMs, durationMs);
    const excessMs = durationMs - this.baseMs;
    if (this.canGrow(messages, durationMs, excessMs)) this.grow();
    else if (this.size === MIN)
      this.baseMs = this.baseMs * 1.2 + 1; // the smallest batches are slow too: every call has become slower
    else if (excessMs > TARGET_MS)
      this.size = Math.max(MIN, Math.min(this.size, Math.floor((messages * TARGET_MS) / excessMs)));
  }

  /**
   * A batch of half the size or more shows the latency of a full one; a smaller one only bounds the latency per
   * message.
   */
  private canGrow(messages: number, durationMs: number, excessMs: number): boolean {
    if (messages >= this.size / 2 && excessMs < TARGET_MS / 2) return true;
    return (durationMs / messages) * this.size * 2 < TARGET_MS;
  }
}
