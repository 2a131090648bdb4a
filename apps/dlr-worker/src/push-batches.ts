import type { BatchSetting } from '@signalbox/domain/webhooks/push-batch';
import type { TryKind } from './endpoint-lane.ts';
import type { PushTry } from './push-try.ts';

/** Tries that will share a call. */
interface OpenBatch {
  tries: PushTry[];
  timer: NodeJS.Timeout;
}

/**
 * Collects the tries of webhooks that take batches. A batch ends when it is full, or when its first try has waited for as
 * long as the webhook allows.
 */
export class PushBatches {
  private readonly open = new Map<string, OpenBatch>();

  /** @param end called with the tries of a batch, at least one, in the order in which they came */
  constructor(private readonly end: (kind: TryKind, tries: PushTry[]) => void) {}

  add(kind: TryKind, attempt: PushTry, { max, waitMs }: BatchSetting): void {
    const key = `${kind} ${attempt.push.target.id}`;
    let batch = this.open.get(key);
    if (!batch) {
      batch = { tries: [], timer: setTimeout(() => this.close(kind, key), waitMs) };
      this.open.set(key, batch);
    }
    batch.tries.push(attempt);
    if (batch.tries.length >= max) this.close(kind, key);
  }

  private close(kind: TryKind, key: string): void {
    const batch = this.open.get(key);
    if (!batch) return;
    clearTimeout(batch.timer);
    this.open.delete(key);
    this.end(kind, batch.tries);
  }
}
