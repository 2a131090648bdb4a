import type { Channel } from '@signalbox/domain/channel';
import { MIN_UUID } from '@signalbox/domain/id-time';
import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { READY_MESSAGES, insertReady } from './ready-tables.ts';

/** Maximum number of accounts that a pass looks at. */
const ACCOUNTS = 200;

/** Maximum number of submissions of one account that a pass makes ready. */
const SHARE = 25;

/**
 * The next account after `after` with a submission that waits. Behind the last one of the channel $1 it is one of the
 * next channel, which the caller leaves out.
 */
const nextAccount = (after: string): string => sql`
  SELECT channel, account_id
    FROM submission
   WHERE waits
     AND (channel, account_id) > ($1, ${after})
   ORDER BY channel, account_id
   LIMIT 1`;

/**
 * $1 channel, $2 the account to begin behind. Steps from account to account by the index, however many submissions each
 * has. Each ORDER BY names all columns of the index that it is to use, so that the planner has no other.
 */
const READY_SHARES = sql`
  WITH RECURSIVE late AS MATERIALIZED (
    -- one probe of the index, and nothing more, while \`readyDue\` keeps up
    SELECT
      FROM submission
     WHERE waits
       AND channel = $1
       AND due_at < now() - interval '1 second'
     ORDER BY channel, due_at
     LIMIT 1
  ), account_in_turn AS (
    SELECT first.channel, first.account_id, 1 AS place
      FROM late
     CROSS JOIN LATERAL (
       ${nextAccount('$2::uuid')}
     ) AS first
     WHERE first.channel = $1
     UNION ALL
    SELECT next.channel, next.account_id, account_in_turn.place + 1
      FROM account_in_turn
     CROSS JOIN LATERAL (
       ${nextAccount('account_in_turn.account_id')}
     ) AS next
     WHERE account_in_turn.place < ${ACCOUNTS}
       AND next.channel = $1
  ),
  share AS MATERIALIZED (
    SELECT oldest.id
      FROM account_in_turn a
     CROSS JOIN LATERAL (
       -- an upper bound of due_at would let the planner choose the index of the channel
       SELECT id, channel, account_id, due_at
         FROM submission
        WHERE waits
          AND (channel, account_id, due_at) >= ($1, a.account_id, '-infinity'::timestamptz)
        ORDER BY channel, account_id, due_at
        LIMIT ${SHARE}
     ) AS oldest
     WHERE oldest.channel = $1
       AND oldest.account_id = a.account_id
       AND oldest.due_at <= now()
  ), locked AS MATERIALIZED (
    SELECT s.id
      FROM share
      JOIN submission s ON s.id = share.id
     WHERE s.due_at <= now()
       FOR UPDATE OF s SKIP LOCKED
  ), due AS (
    UPDATE submission
       SET waits = false, listed = true
     WHERE id IN (SELECT id FROM locked)
    RETURNING id, channel, lane, account_id, sender, fanned_out_at,
              ${READY_MESSAGES}
  ), ready AS MATERIALIZED (
    SELECT *
      FROM due
     WHERE fanned_out_at IS NULL
  ), ${insertReady('ready', 'any')}
  SELECT ARRAY(SELECT DISTINCT lane FROM ready) AS lanes,
         (SELECT account_id FROM account_in_turn WHERE place = ${ACCOUNTS}) AS next`;

/** The lanes that a pass made ready, and where the next one begins. */
export interface ReadyShares {
  lanes: Lane[];
  /** The `after` of the next pass; null to begin with the first account. */
  next: string | null;
}

/**
 * Makes up to SHARE due submissions of each of ACCOUNTS accounts ready while one of the channel is late by more than a
 * second, and nothing otherwise. `readyDue` takes the earliest of all accounts, so an account with many at the same time
 * would delay the others. Passes that continue where the last one ended reach every account.
 */
export async function readyShares(
  db: EntityManager,
  channel: Channel,
  after: string | null,
): Promise<ReadyShares> {
  const [shares]: [ReadyShares] = await db.query(READY_SHARES, [channel, after ?? MIN_UUID]);
  return shares;
}
