import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { THROTTLES_AFTER_RETURN } from './submits.ts';

/** A claimed message. Each claim of a message has another attempt. */
export interface MessageClaim extends MessageKey {
  attempt: number;
}

const CLAIMS = rowset('claim', { submission_id: 'uuid', n: 'integer', attempt: 'integer' });

/** The pending messages of claims that no other worker has taken over, locked in the order of their key. */
const MINE = sql`
  SELECT m.submission_id, m.n
    FROM ${CLAIMS.from}
    JOIN message m ON m.submission_id = claim.submission_id AND m.n = claim.n
   WHERE m.status = 'PENDING'
     AND m.starts + m.throttles = claim.attempt
   ORDER BY m.submission_id, m.n
     FOR UPDATE OF m`;

/** Skips a locked message: its outcome is being recorded, or the next call renews it. $4 seconds. */
const RENEW = sql`
  UPDATE message m
     SET claimed_until = now() + make_interval(secs => $4),
         -- null: its time is still in claim_batch; infinity: parked
         due_at = CASE WHEN m.due_at < 'infinity' THEN now() + make_interval(secs => $4 + 1) ELSE m.due_at END
    FROM (
      ${MINE} SKIP LOCKED
    ) AS mine
   WHERE m.submission_id = mine.submission_id
     AND m.n = mine.n
  RETURNING m.submission_id AS "submissionId", m.n`;

/**
 * Renews claims for `leaseSeconds` from now, also claims that have expired and were not taken since. Leaves a message
 * alone that another worker has claimed, or that is not pending.
 *
 * @returns the renewed messages
 */
export function renewClaims(
  db: EntityManager,
  leaseSeconds: number,
  claims: readonly MessageClaim[],
): Promise<MessageKey[]> {
  return returning(db, RENEW, [...CLAIMS.values(claims), leaseSeconds]);
}

/** As `recordSubmits` for a throttled message. */
const RETURN = sql`
  UPDATE message m
     SET starts = m.starts - 1,
         throttles = ${THROTTLES_AFTER_RETURN},
         claimed_until = now(),
         -- null: its time is still in claim_batch
         due_at = CASE WHEN m.due_at IS NOT NULL THEN now() + interval '1 second' END
    FROM (
      ${MINE}
    ) AS mine
   WHERE m.submission_id = mine.submission_id
     AND m.n = mine.n
     AND m.starts > 0 -- not returned yet`;

/**
 * Returns claims of messages that were not submitted, so that these starts do not count towards parking. The messages
 * can be claimed again immediately. Leaves a message alone that another worker has claimed, or that is not pending.
 */
export async function returnClaims(db: EntityManager, claims: readonly MessageClaim[]): Promise<void> {
  await db.query(RETURN, CLAIMS.values(claims));
}
