/** Waits of a message after its first faults of a gateway that may pass; it is refused at the next one. */
export const FAULT_WAITS_MS: readonly number[] = [10_000, 30_000];

/** More than the messages that a fast gateway refuses within the delay of a retry. */
const MAX_COUNTED = 300_000;

/** Longer than the longest delay of a retry. */
const KEPT_MS = 2 * 60 * 60 * 1_000;

/**
 * Counts the refusals of one sort that messages met at a gateway, each until two hours after its last one, for the latest
 * 300,000 messages. The attempts of a message are no such count: most of them only waited for the pace.
 */
export class RefusalCounter {
  /** In the order of their last refusals. */
  private readonly counts = new Map<string, { count: number; at: number }>();

  /** @param now a clock in milliseconds that never steps */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts one more. @returns the number of refusals of this message */
  count(messageId: string): number {
    this.forgetOld();
    const count = (this.counts.get(messageId)?.count ?? 0) + 1;
    this.counts.delete(messageId);
    this.counts.set(messageId, { count, at: this.now() });
    return count;
  }

  private forgetOld(): void {
    const oldest = this.now() - KEPT_MS;
    for (const [messageId, { at }] of this.counts) {
      if (at >= oldest && this.counts.size < MAX_COUNTED) return;
      this.counts.delete(messageId);
    }
  }
}
