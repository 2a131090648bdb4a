import type { EntityManager } from 'typeorm';
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

/** Sealed texts that one call reads. */
const STRETCH = 5_000;

const WIPE_ABANDONED = sql`
  WITH stretch AS MATERIALIZED (
    SELECT id, fanned_out_at
      FROM submission
     WHERE sealed IS NOT NULL
       AND NOT waits
       AND id > $1::uuid
     ORDER BY id
     LIMIT ${STRETCH}
  ), abandoned AS MATERIALIZED (
    SELECT s.id
      FROM stretch
      JOIN submission s ON s.id = stretch.id
     WHERE stretch.fanned_out_at < now() - interval '1 minute'
       AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
     ORDER BY s.id
       FOR UPDATE OF s SKIP LOCKED
  ), wiped AS (
    UPDATE submission s
       SET sealed = NULL
      FROM abandoned
     WHERE s.id = abandoned.id
  )
  SELECT CASE WHEN count(*) = ${STRETCH} THEN max(id::text) END AS next
    FROM stretch`;

/**
 * Wipes sealed texts that have nothing left to submit and were not wiped, because their worker died or their message
 * ended otherwise. Examines the next 5,000 sealed texts behind the id `after`: in a backlog most of them wait, and none
 * is examined twice before all are.
 *
 * @returns the id to continue from; null when none is left
 */
export async function wipeAbandonedSecrets(
  db: EntityManager,
  after: string,
): Promise<{ next: string | null }> {
  const [stretch]: [{ next: string | null }] = await db.query(WIPE_ABANDONED, [after]);
  return stretch;
}
