import type { Channel } from '@signalbox/domain/channel';
import { MIN_UUID } from '@signalbox/domain/id-time';
import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { READY_MESSAGES, insertReady } from './ready-tables.ts';

/** Maximum number of accounts of a pass. */
const ACCOUNTS = 200;

/** Maximum number of submissions of one account that a pass makes ready. */
const SHARE = 25;

/**
 * The next account after `after` with a submission that waits. After the last one of the channel $1 it is one of the
 * next channel, which the caller filters out.
 */
const nextAccount = (after: string): string => sql`
  SELECT channel, account_id
    FROM submission
   WHERE waits
     AND (channel, account_id) > ($1, ${after})
   ORDER BY channel, account_id
   LIMIT 1`;

/**
 * $1 channel, $2 the account to begin after. Steps from account to account by the index, however many submissions each
 * has. Each ORDER BY names all columns of the index that it is to use, so that the planner chooses no other.
 */
const MAKE_READY_BY_ACCOUNT = sql`
  WITH RECURSIVE late AS MATERIALIZED (
    -- while \`makeDueReady\` keeps up, this probe of an index is all that is done
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
  ), ${insertReady('ready')}
  SELECT ARRAY(SELECT DISTINCT lane FROM ready) AS lanes,
         (SELECT account_id FROM account_in_turn WHERE place = ${ACCOUNTS}) AS next`;

/** The lanes that a pass made ready submissions of, and the position of the next pass. */
export interface ReadyByAccount {
  lanes: Lane[];
  /** The `after` of the next pass; null to begin with the first account. */
  next: string | null;
}

/**
 * Makes due submissions ready account by account, at most SHARE of each of ACCOUNTS accounts. It does nothing unless a
 * submission of the channel is due for more than a second: `makeDueReady` takes the earliest of all accounts, so one account
 * with many at the same time would delay the others. Passes that continue after the last one reach every account.
 */
export async function makeReadyByAccount(
  db: EntityManager,
  channel: Channel,
  after: string | null,
): Promise<ReadyByAccount> {
  const [ready]: [ReadyByAccount] = await db.query(MAKE_READY_BY_ACCOUNT, [channel, after ?? MIN_UUID]);
  return ready;
}
