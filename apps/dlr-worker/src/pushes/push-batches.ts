import { type BatchSetting, retriedBatchSize } from '@signalbox/domain/webhooks/push-batch';
import type { TryKind } from '../endpoints/endpoint-lane.ts';
import type { PushTry } from './push-try.ts';

/** Tries that will share a call. */
interface OpenBatch {
  kind: TryKind;
  tries: PushTry[];
  timer: NodeJS.Timeout;
}

/**
 * Collects the tries of webhooks that take batches. A batch closes when it is full, or when its first try has waited
 * for as long as the webhook allows.
 */
export class PushBatches {
  private readonly open = new Map<string, OpenBatch>();

  /** @param end called with the tries of a batch, at least one, in the order in which they came */
  constructor(private readonly end: (kind: TryKind, tries: PushTry[]) => void) {}

  /** Adds a try to the open batch of its webhook, kind and size, and closes a batch that is full. */
  add(kind: TryKind, pushTry: PushTry, batch: BatchSetting): void {
    const { target, attempts, attemptsBefore } = pushTry.push;
    const size = retriedBatchSize(batch, attempts - attemptsBefore);
    const key = `${kind} ${size} ${target.id}`;
    let open = this.open.get(key);
    if (!open) {
      open = { kind, tries: [], timer: setTimeout(() => this.close(key), batch.waitMs) };
      this.open.set(key, open);
    }
    open.tries.push(pushTry);
    if (open.tries.length >= size) this.close(key);
  }

  /** Closes the batches of later tries, which need not wait: all that are due were added. */
  closeLaterBatches(): void {
    for (const [key, { kind }] of this.open) if (kind === 'later') this.close(key);
  }

  private close(key: string): void {
    const batch = this.open.get(key);
    if (!batch) return;
    clearTimeout(batch.timer);
    this.open.delete(key);
    this.end(batch.kind, batch.tries);
  }
}
