const MAX_COUNTED = 10_000;

/**
 * Counts the refusals of one sort that messages met at a gateway, for the latest 10,000 messages. The attempts of a
 * message are no such count: most of them only waited for the pace.
 */
export class RefusalCounter {
  private readonly counts = new Map<string, number>();

  /** Counts one more. @returns the number of refusals of this message */
  count(messageId: string): number {
    const count = (this.counts.get(messageId) ?? 0) + 1;
    this.counts.delete(messageId);
    this.counts.set(messageId, count);
    if (this.counts.size > MAX_COUNTED) this.counts.delete(this.counts.keys().next().value!);
    return count;
  }
}
