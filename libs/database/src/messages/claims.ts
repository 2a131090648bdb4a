import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A claimed message. Each claim of a message has another attempt. */
export interface MessageClaim extends MessageKey {
  attempt: number;
}

const CLAIMS = rowset('claim', { submission_id: 'uuid', n: 'integer', attempt: 'integer' }, 2);

/** Locks in the order of the key. Skips a locked message: its outcome is being recorded, or the next call renews it. */
const RENEW = sql`
  UPDATE message m
     SET claimed_until = now() + make_interval(secs => $1),
         -- null: its time is still in claim_batch; infinity: parked
         due_at = CASE WHEN m.due_at < 'infinity' THEN now() + make_interval(secs => $1 + 1) ELSE m.due_at END
    FROM (
      SELECT m.submission_id, m.n
        FROM ${CLAIMS.from}
        JOIN message m ON m.submission_id = claim.submission_id AND m.n = claim.n
       WHERE m.status = 'PENDING'
         AND m.starts + m.throttles = claim.attempt
       ORDER BY m.submission_id, m.n
         FOR UPDATE OF m SKIP LOCKED
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
  return returning(db, RENEW, [leaseSeconds, ...CLAIMS.values(claims)]);
}
