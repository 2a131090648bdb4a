import type { Channel } from '@signalbox/domain/channel';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

const KEYS = rowset('key', { submission_id: 'uuid', n: 'integer' }, 3);

/** Time after its expiry in which the report of an unconfirmed message may still come. */
const GRACE = "interval '5 minutes'";

const INSERT = sql`
  INSERT INTO unconfirmed_message (submission_id, n, gateway, channel, due_at)
  SELECT key.submission_id, key.n, $1, $2, s.expires_at + ${GRACE}
    FROM ${KEYS.from}
    JOIN submission s ON s.id = key.submission_id
   ORDER BY key.submission_id, key.n
  ON CONFLICT ON CONSTRAINT unconfirmed_message_pkey DO UPDATE
     SET gateway = EXCLUDED.gateway`;

/** Notes messages whose submit got no answer, so that they end after their expiry. */
export async function insertUnconfirmed(
  db: EntityManager,
  gateway: string,
  channel: Channel,
  messages: readonly MessageKey[],
): Promise<void> {
  await db.query(INSERT, [gateway, channel, ...KEYS.values(messages)]);
}

const LIMIT = 1_000;

/** A message whose submit went without an answer, and the time for its report has passed. */
export interface ExpiredUnconfirmed extends MessageKey {
  gateway: string;
  /** False when a report came meanwhile: then there is nothing to do but delete the note. */
  isOpen: boolean;
}

/** Lists unconfirmed messages of a channel whose time has passed, a bounded number per call. */
export function listExpiredUnconfirmed(db: EntityManager, channel: Channel): Promise<ExpiredUnconfirmed[]> {
  return db.query(
    `SELECT um.submission_id AS "submissionId", um.n, um.gateway,
            COALESCE(m.status = 'SENT' AND m.unconfirmed_at IS NOT NULL, false) AS "isOpen"
       FROM unconfirmed_message um
       LEFT JOIN message m ON m.submission_id = um.submission_id AND m.n = um.n
      WHERE um.channel = $1
        AND um.due_at <= now()
      ORDER BY um.due_at
      LIMIT ${LIMIT}`,
    [channel],
  );
}

/** Counts by gateway the unconfirmed messages of a channel that are still open. Looks at the oldest 10,000 only. */
export function countUnconfirmed(
  db: EntityManager,
  channel: Channel,
): Promise<{ gateway: string; count: number }[]> {
  return db.query(
    `SELECT noted.gateway, count(*)::integer AS count
       FROM (
         SELECT submission_id, n, gateway
           FROM unconfirmed_message
          WHERE channel = $1
          ORDER BY due_at
          LIMIT ${COUNTED_ROWS}
       ) AS noted
       JOIN message m ON m.submission_id = noted.submission_id AND m.n = noted.n
      WHERE m.status = 'SENT'
        AND m.unconfirmed_at IS NOT NULL
      GROUP BY noted.gateway`,
    [channel],
  );
}

const DELETED = rowset('key', { submission_id: 'uuid', n: 'integer' });

const DELETE = sql`
  DELETE FROM unconfirmed_message um
   USING ${DELETED.sorted('submission_id, n')}
   WHERE um.submission_id = key.submission_id
     AND um.n = key.n`;

/** Deletes notes of unconfirmed messages; returns their number. */
export function deleteUnconfirmed(db: EntityManager, messages: readonly MessageKey[]): Promise<number> {
  return countChanged(db, DELETE, DELETED.values(messages));
}
