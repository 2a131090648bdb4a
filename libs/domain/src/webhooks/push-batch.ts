import { hash } from 'node:crypto';

/** The setting of a webhook that takes several reports in one call. */
export interface BatchSetting {
  /** Maximum number of reports in a call, 1 to MAX_BATCH. */
  max: number;
  /** Maximum time that a report waits for others, in milliseconds, 0 to MAX_BATCH_WAIT_MS. */
  waitMs: number;
}

export const MAX_BATCH = 100;
export const MAX_BATCH_WAIT_MS = 1_000;

/** Maximum body of a batch, in bytes. Further reports go into another call; a single report is never divided. */
const MAX_BATCH_BYTES = 1_048_576;

/** One report of a batch. */
export interface BatchItem {
  /** The `webhook-id` of the report when it is pushed alone. */
  id: string;
  /** Its `webhook-sequence`. */
  sequence: number;
  /** The body of that call, as JSON. */
  body: string;
}

/** Settings of a webhook that decide whether it can take batches. */
interface BatchedWebhook {
  batch: BatchSetting | null;
  method: 'GET' | 'POST';
  /** Null in a damaged row, which has none. */
  headers: readonly unknown[] | null;
}

/** The batch setting of a webhook; null without one, and for one that is invalid or does not fit its other settings. */
export function usableBatch({ batch, method, headers }: BatchedWebhook): BatchSetting | null {
  if (batch === null || method !== 'POST' || (headers?.length ?? 0) > 0) return null;
  const { max, waitMs } = batch;
  const isUsable =
    Number.isInteger(max) && max >= 1 && max <= MAX_BATCH && waitMs >= 0 && waitMs <= MAX_BATCH_WAIT_MS;
  return isUsable ? batch : null;
}

/**
 * Maximum number of reports in a call of a retry: that of the webhook for the first one, and half as many for each
 * further one, so that a report that an endpoint refuses does not exhaust the others.
 *
 * @param attempts calls that were made before
 */
export function retriedBatchSize({ max }: BatchSetting, attempts: number): number {
  return Math.max(1, max >> Math.max(0, attempts - 1));
}

/** Renders the body of a batch, a JSON array. @returns also the number of items in it, counted from the first */
export function renderBatch(items: readonly BatchItem[]): { body: string; count: number } {
  const rendered: string[] = [];
  let bytes = 1;
  for (const { id, sequence, body } of items) {
    const item = `{"id":${JSON.stringify(id)},"sequence":${sequence},"body":${body}}`;
    bytes += Buffer.byteLength(item) + 1;
    if (rendered.length > 0 && bytes > MAX_BATCH_BYTES) break;
    rendered.push(item);
  }
  return { body: `[${rendered.join(',')}]`, count: rendered.length };
}

/** Builds the `webhook-id` of a batch: the same in every attempt with the same reports, whatever their order. */
export function batchId(items: readonly BatchItem[]): string {
  const ids = items.map(({ id }) => id).toSorted();
  return `batch_${hash('sha256', `${ids.join('\n')}\n`).slice(0, 32)}`;
}
