const MIN = 8;
export const MAX_BATCH_SIZE = 4_000;

/** A batch may hold up the next one for so long beyond what the gateway takes for the smallest. */
const TARGET_MS = 250;

/**
 * How many messages to hand to the gateway at once: as many as it takes in a quarter of a second, so that a message that comes
 * next need not wait for more than that. It starts small and doubles while batches are quick.
 */
export class BatchSize {
  private size = MIN;
  /** What a call takes whatever its size, as far as seen. */
  private baseMs = Number.POSITIVE_INFINITY;

  get messages(): number {
    return this.size;
  }

  /** Whether the gateway takes whatever it is given. */
  get isAtMost(): boolean {
    return this.size === MAX_BATCH_SIZE;
  }

  /** Learns from a batch. */
  took(messages: number, durationMs: number): void {
    this.baseMs = Math.min(this.baseMs, durationMs);
    const excessMs = durationMs - this.baseMs;
    if (this.canGrow(messages, durationMs, excessMs)) this.size = Math.min(MAX_BATCH_SIZE, this.size * 2);
    else if (this.size === MIN)
      this.baseMs = this.baseMs * 1.2 + 1; // even the smallest are slow: the gateway has become slow as such
    else if (excessMs > TARGET_MS)
      this.size = Math.max(MIN, Math.min(this.size, Math.floor((messages * TARGET_MS) / excessMs)));
  }

  /** A batch that was about full tells what a full one takes; a smaller one only that it takes at most so much for each message. */
  private canGrow(messages: number, durationMs: number, excessMs: number): boolean {
    if (messages >= this.size / 2 && excessMs < TARGET_MS / 2) return true;
    return (durationMs / messages) * this.size * 2 < TARGET_MS;
  }
}
