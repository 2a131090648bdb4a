import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { NAMED_IDS } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';

const WIPE = sql`
  UPDATE submission s
     SET sealed = NULL
    FROM ${NAMED_IDS}
   WHERE s.id = named.id
     AND ${guard('s.sealed IS NOT NULL AND s.fanned_out_at IS NOT NULL')}
     AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')`;

/**
 * Wipes the sealed texts of submissions that have nothing left to submit, so that a secret lives no longer than its
 * dispatch.
 */
export async function wipeDispatched(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(WIPE, [ids]);
}

const WIPE_LIMIT = 1_000;

/**
 * Wipes sealed texts that have nothing left to submit and were not wiped, because their worker died or their message
 * ended otherwise. A bounded number per call; returns that number.
 */
export function wipeAbandonedSecrets(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `UPDATE submission
        SET sealed = NULL
      WHERE id IN (
        SELECT s.id
          FROM submission s
         WHERE s.sealed IS NOT NULL
           AND NOT s.waits
           AND s.fanned_out_at < now() - interval '1 minute'
           AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
         ORDER BY s.id
         LIMIT ${WIPE_LIMIT}
           FOR UPDATE OF s SKIP LOCKED
      )`,
  );
}
