import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { sql } from '../core/sql.ts';

/** Fragments of the statements that fill and empty the tables of ready submissions, `ready_sms` and `ready_chat`. */

/**
 * Clears `listed` of submissions in `picked` that wait. The previous version leaves it set, and `makeDueReady` would not
 * find them after that version ends their wait. Remove with the next version.
 */
export const UNMARK_WAITING = sql`
  UPDATE submission s
     SET listed = false
    FROM picked p
   WHERE s.id = p.id
     AND NOT p.is_ready
     AND s.waits
     AND s.listed`;

/**
 * The table of the ready submissions of each channel, and the middle column of its key: between the lane and the id of
 * the submission, the account or sender that shares the lane.
 */
export const READY: Record<Channel, { table: string; sharedBy: string; columns: string }> = {
  sms: { table: 'ready_sms', sharedBy: 'account_id', columns: 'lane, account_id, id, messages' },
  chatapp: { table: 'ready_chat', sharedBy: 'sender', columns: 'lane, sender, id, account_id' },
};

/**
 * Selects the oldest submissions of a lane, $1, that the account or sender of a row of `share` has in the table. Locks
 * them, and skips those that another worker has locked; `columns` are read after the lock. A row of the table may be
 * outdated: its submission comes with `is_ready` false, so that the statement can delete the row.
 */
export function oldestReady(channel: Channel, share: string, limit: string, columns: string): string {
  const { table, sharedBy } = READY[channel];
  return sql`
    SELECT ${columns},
           s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
      FROM ${table} q
      JOIN submission s ON s.id = q.id
     WHERE q.lane = $1
       AND q.${sharedBy} = ${share}.${sharedBy}
     ORDER BY q.id
     LIMIT ${limit}
       FOR UPDATE OF s SKIP LOCKED`;
}

/**
 * The messages of a ready submission that one round may take, as a column of `RETURNING`: those not fanned out. A paced
 * one counts as one, because a round takes few of it.
 */
export const READY_MESSAGES = sql`
  CASE
    WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
    ELSE 1
  END AS messages`;

/** A statement that stores the ready submissions of `stored` (lane, account_id, id, sender, messages) of a channel. */
export function insertReadyOf(channel: Channel, stored: string): string {
  const { table, columns } = READY[channel];
  return sql`
    INSERT INTO ${table} (${columns})
    SELECT ${columns}
      FROM ${stored}`;
}

/**
 * CTEs that store the ready submissions of `stored`, which has their `channel` too, in the order of the key. Some may
 * have rows already.
 */
export function insertReady(stored: string): string {
  return CHANNELS.map(
    (channel) => sql`
      ${READY[channel].table}_stored AS (
        ${insertReadyOf(channel, stored)}
         WHERE channel = '${channel}'
         ORDER BY lane, ${READY[channel].sharedBy}, id
        ON CONFLICT DO NOTHING
      )`,
  ).join(', ');
}

/**
 * A statement that deletes the rows of submissions, each looked up by its key. In a join, a plan made while the table
 * was nearly empty, as it mostly is, would compare each row of the table with each of `gone`.
 *
 * @param gone a table, or a query in parentheses, with the key of each row
 */
export function deleteReady(channel: Channel, gone: string): string {
  const { table, sharedBy } = READY[channel];
  return sql`
    DELETE FROM ${table}
     WHERE ctid = ANY(ARRAY(
       SELECT found.ctid
         FROM ${gone} AS gone
        CROSS JOIN LATERAL (
          SELECT q.ctid
            FROM ${table} q
           WHERE q.lane = gone.lane
             AND q.${sharedBy} = gone.${sharedBy}
             AND q.id = gone.id
          OFFSET 0
        ) AS found
     ))`;
}
