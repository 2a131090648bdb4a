import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';

/**
 * Claims the probes of these endpoints for `leaseSeconds`, which must exceed the deadline of a call. Skips locked ones.
 *
 * @returns the endpoints whose probe was claimed
 */
export async function claimProbes(
  db: EntityManager,
  webhookIds: string[],
  leaseSeconds: number,
): Promise<string[]> {
  const rows = await returning<{ webhookId: string }>(
    db,
    `UPDATE endpoint
        SET open_until = now() + make_interval(secs => $2)
      WHERE webhook_id IN (
        SELECT webhook_id
          FROM endpoint
         WHERE webhook_id = ANY($1::uuid[])
           AND open_until <= now()
           FOR UPDATE SKIP LOCKED
      )
     RETURNING webhook_id AS "webhookId"`,
    [webhookIds, leaseSeconds],
  );
  return rows.map((row) => row.webhookId);
}

/** Returns claimed probes for which no push may be called now: each endpoint may be probed again at any time. */
export async function returnProbes(db: EntityManager, webhookIds: string[]): Promise<void> {
  await db.query(
    `UPDATE endpoint
        SET open_until = now()
      WHERE webhook_id IN (
        SELECT webhook_id
          FROM endpoint
         WHERE webhook_id = ANY($1::uuid[])
           AND open_level > 0
           FOR UPDATE SKIP LOCKED
      )`,
    [webhookIds],
  );
}
