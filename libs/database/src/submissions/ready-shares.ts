import type { Channel } from '@signalbox/domain/channel';
import { MIN_UUID } from '@signalbox/domain/id-time';
import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { READY_MESSAGES, insertReady } from './ready-tables.ts';

/** Maximum number of accounts that a pass looks at from the first one on, and as many again from a random one on. */
const ACCOUNTS = 100;

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

/** Steps from account to account by the index, however many submissions each has. */
const accountsAfter = (name: string, after: string): string => sql`
  ${name} AS (
    SELECT first.channel, first.account_id, 1 AS place
      FROM late
     CROSS JOIN LATERAL (
       ${nextAccount(after)}
     ) AS first
     WHERE first.channel = $1
     UNION ALL
    SELECT next.channel, next.account_id, ${name}.place + 1
      FROM ${name}
     CROSS JOIN LATERAL (
       ${nextAccount(`${name}.account_id`)}
     ) AS next
     WHERE ${name}.place < ${ACCOUNTS}
       AND next.channel = $1
  )`;

/** $1 channel. Each ORDER BY names all columns of the index that it is to use, so that the planner has no other. */
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
  ), random_account AS MATERIALIZED (
    SELECT id
      FROM account
     WHERE EXISTS (SELECT FROM late)
     ORDER BY id
    OFFSET floor(random() * (SELECT count(*) FROM account))
     LIMIT 1
  ), ${accountsAfter('first_account', `'${MIN_UUID}'::uuid`)},
  ${accountsAfter('other_account', '(SELECT id FROM random_account)')},
  share AS MATERIALIZED (
    SELECT oldest.id
      FROM (
        SELECT account_id FROM first_account
         UNION
        SELECT account_id FROM other_account
      ) AS a
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
  SELECT DISTINCT lane
    FROM ready`;

/**
 * Makes up to SHARE due submissions of each account ready while one of the channel is late by more than a second, and
 * nothing otherwise. `readyDue` takes the earliest of all accounts, so an account with many at the same time would
 * delay the others. A pass reaches some accounts only; the random ones differ from pass to pass.
 *
 * @returns the lanes of these submissions
 */
export async function readyShares(db: EntityManager, channel: Channel): Promise<Lane[]> {
  const rows: { lane: Lane }[] = await db.query(READY_SHARES, [channel]);
  return rows.map((row) => row.lane);
}
