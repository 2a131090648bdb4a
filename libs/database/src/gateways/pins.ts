import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { MessageClaim } from '../messages/claims.ts';

const PINS = rowset('pin', { submission_id: 'uuid', n: 'integer', attempt: 'integer' }, 3);

const INSERT = sql`
  INSERT INTO pinned_message (gateway, lane, submission_id, n, attempt)
  SELECT $1, $2, pin.*
    FROM ${PINS.from}
   ORDER BY submission_id, n
  ON CONFLICT ON CONSTRAINT pinned_message_pkey DO UPDATE
     SET attempt = EXCLUDED.attempt, pinned_at = now()`;

/**
 * Offers released messages to the workers whose gateway of this name is up, which claim them with `claimPinned`. The
 * messages stay free for everybody once their delay has passed.
 */
export async function insertPins(
  db: EntityManager,
  gateway: string,
  lane: Lane,
  messages: readonly MessageClaim[],
): Promise<void> {
  await db.query(INSERT, [gateway, lane, ...PINS.values(messages)]);
}

const SWEEP_LIMIT = 10_000;

/** Deletes offers that no worker took within a minute, a bounded number per call; returns their number. */
export function sweepPins(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `DELETE FROM pinned_message
      WHERE (gateway, submission_id, n) IN (
        SELECT gateway, submission_id, n
          FROM pinned_message
         WHERE pinned_at < now() - interval '1 minute'
         LIMIT ${SWEEP_LIMIT}
           FOR UPDATE SKIP LOCKED
      )`,
  );
}
