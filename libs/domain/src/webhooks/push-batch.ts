import { createHash } from 'node:crypto';

/** The setting by which a webhook gets several reports in one call. */
export interface BatchSetting {
  /** The most reports of a call. */
  max: number;
  /** The most milliseconds for which a report waits for others. */
  waitMs: number;
}

export const MAX_BATCH = 100;
export const MAX_BATCH_WAIT_MS = 1_000;

/** The most bytes of a batch of several reports: a longer one is divided. */
export const MAX_BATCH_BYTES = 1_048_576;

/** One report of a batch. */
export interface BatchItem {
  /** The `webhook-id` of the report when it is pushed alone. */
  id: string;
  /** Its `webhook-sequence`. */
  sequence: number;
  /** The body of that call, as JSON. */
  body: string;
}

/** True for a stored setting that can be used. */
export function isBatchSetting({ max, waitMs }: BatchSetting): boolean {
  return Number.isInteger(max) && max >= 1 && max <= MAX_BATCH && waitMs >= 0 && waitMs <= MAX_BATCH_WAIT_MS;
}

/** Renders the body of a batch: a JSON array with the reports in their order. */
export function renderBatch(items: readonly BatchItem[]): string {
  const rendered = items.map(
    ({ id, sequence, body }) => `{"id":${JSON.stringify(id)},"sequence":${sequence},"body":${body}}`,
  );
  return `[${rendered.join(',')}]`;
}

/** Builds the `webhook-id` of a batch: the same in every attempt with the same reports, whatever their order. */
export function batchId(items: readonly BatchItem[]): string {
  const hash = createHash('sha256');
  for (const id of items.map((item) => item.id).toSorted()) hash.update(id).update('\n');
  return `batch_${hash.digest('hex').slice(0, 32)}`;
}
