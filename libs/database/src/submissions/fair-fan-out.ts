import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { SmsLane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { steps } from '../core/steps.ts';
import { CLAIMED_CHUNK, FANNED_OUT, insertChunks } from './chunks.ts';
import { ENDING_OF_SUBMISSION } from './endings.ts';
import { quietNow, quietRules, quietUntil } from './quiet.ts';
import { IS_READY, UNLIST_WAITING, deleteReady } from './ready-tables.ts';
import type { HeldMessages } from './reclaim.ts';
import type { SubmissionChunk } from './submissions.ts';
import { MIN_UUID } from '@signalbox/domain/id-time';

/** The size of a round of a lane, and the limits of its accounts. */
export interface RoundLimits {
  /** Maximum messages to claim. Each account with something ready gets an equal share, at least one message. */
  budget: number;
  /**
   * Maximum messages that each account with a limited rate may send now. Other accounts are limited by their share
   * alone.
   */
  allowances: ReadonlyMap<string, number>;
  /** The `after` of the previous round, so that this one begins with the next account; null for the first. */
  after: string | null;
  quiet: readonly QuietRule[];
}

/** The result of a round of a lane. */
export interface FairRound {
  chunks: SubmissionChunk[];
  /** Submissions with messages whose quiet hours have ended, and the maximum number of them to claim. */
  quietEnded: HeldMessages[];
  /** True when there may be more to claim immediately. */
  more: boolean;
  /** The account after which the next round begins; null for the first. */
  after: string | null;
}

/** Maximum accounts that share a round; more accounts share several rounds. */
const MAX_ACCOUNTS = 50;

/**
 * Fans out the ready submissions of a lane, an equal share for each account: an account with a million messages gets no
 * larger share than one with a single message. A submission with a rate limit yields the messages of half a second and
 * waits again. One that has only held messages left waits for the end of their quiet hours, and is then in
 * `quietEnded`.
 */
export async function fanOutFairly(
  db: EntityManager,
  lane: SmsLane,
  limits: RoundLimits,
  leaseSeconds: number,
): Promise<FairRound> {
  const { budget, allowances, after, quiet } = limits;
  const rows: RoundRow[] = await db.query(STATEMENT, [
    lane,
    after ?? MIN_UUID,
    Math.min(budget, MAX_ACCOUNTS),
    budget,
    [...allowances.keys()],
    [...allowances.values()],
    leaseSeconds,
    ...QUIET.values(quiet),
  ]);
  const chunks = rows.filter(isChunk);
  return {
    chunks: chunks.filter(({ recipients }) => recipients.length > 0),
    quietEnded: chunks.flatMap(({ id, takeHeld }) => (takeHeld === null ? [] : [{ id, take: takeHeld }])),
    more: rows.some((row) => row.more) || after !== null,
    after: rows[0]?.next ?? null,
  };
}

type ChunkRow = SubmissionChunk & { takeHeld: number | null };

/** A chunk, and on every row the end of the round. Without a chunk there is one row of nulls. */
type RoundRow = (ChunkRow | Record<keyof ChunkRow, null>) & { more: boolean; next: string | null };

function isChunk(row: RoundRow): row is ChunkRow & RoundRow {
  return row.id !== null;
}

const QUIET = quietRules(8);

/**
 * The accounts of the round and their shares. $1 lane, $2 account to begin after, $3 accounts, $4 messages, $5 and $6
 * allowances.
 */
const SHARES = sql`
  ${steps('account', { column: 'account_id', table: 'ready_sms', where: 'lane = $1', after: '$2::uuid', limit: '$3' })}, share AS MATERIALIZED (
    -- \`quantum\`: the messages that an account may claim in this round, an equal part of the budget or its allowance,
    -- whichever is less. An account whose allowance is 0 is left out
    SELECT a.account_id,
           LEAST(
             GREATEST($4::integer / count(*) OVER (), 1),
             COALESCE(l.allowance, $4::integer)
           )::integer AS quantum
      FROM account a
      LEFT JOIN unnest($5::uuid[], $6::integer[]) AS l(account_id, allowance) ON l.account_id = a.account_id
     WHERE COALESCE(l.allowance, 1) > 0
  )`;

/** The submissions of the round, and the position up to which it fans out each. */
const PLAN = sql`
  picked AS MATERIALIZED (
    -- the oldest submissions of each account that no other worker has locked, no more than its quantum needs. \`fills\` is
    -- true where they hold at least a quantum
    SELECT p.*, share.quantum, fit.fills
      FROM share
     CROSS JOIN LATERAL (
       SELECT count(*) AS sends, sum(messages) >= share.quantum AS fills
         FROM (
           SELECT COALESCE(messages, 1) AS messages,
                  sum(COALESCE(messages, 1)) OVER (ORDER BY id) - COALESCE(messages, 1) AS before
             FROM ready_sms
            WHERE lane = $1
              AND account_id = share.account_id
            ORDER BY id
            LIMIT share.quantum
         ) AS oldest
        WHERE before < share.quantum
     ) AS fit
     CROSS JOIN LATERAL (
       SELECT s.id, s.lane, s.account_id, s.fanned_upto, cardinality(s.recipients) AS total, s.recipients, s.held_until,
              ${ENDING_OF_SUBMISSION} AS ending, s.rate_per_second AS rate, ${IS_READY} AS is_ready
         FROM ready_sms q
         JOIN submission s ON s.id = q.id
        WHERE q.lane = $1
          AND q.account_id = share.account_id
        ORDER BY q.id
        LIMIT fit.sends
          FOR UPDATE OF s SKIP LOCKED
     ) AS p
  ), wanted AS (
    -- \`size\`: the messages that each could yield. All that are left, or a chunk when only held ones are left; with a
    -- rate, those of half a second
    SELECT *,
           LEAST(
             CASE WHEN fanned_upto < total THEN total - fanned_upto ELSE ${FAN_OUT_CHUNK} END,
             CASE WHEN ending IS NULL AND rate IS NOT NULL THEN GREATEST(rate / 2, 1) END
           ) AS size
      FROM picked
     WHERE is_ready
  ), sized AS MATERIALIZED (
    -- \`take\`: the messages that each yields. The oldest come first, and \`before\` adds up the sizes of those before it.
    -- \`uses_up\`: more may follow. That is so, too, where the picked ones seemed to fill the quantum and yield less,
    -- because a part of them is fanned out
    SELECT *, LEAST(size, quantum - before)::integer AS take, fills OR before + size >= quantum AS uses_up
      FROM (
        SELECT *, sum(size) OVER (PARTITION BY account_id ORDER BY id) - size AS before
          FROM wanted
      ) AS summed
     WHERE before < quantum
  ), planned AS MATERIALIZED (
    -- \`upto\`: the position after this round. \`held\`: the time from which the first message that quiet hours hold may be
    -- sent, of those that are stored or will be
    SELECT *,
           LEAST(fanned_upto + take, total) AS upto,
           CASE
             WHEN fanned_upto >= total
             THEN (SELECT min(m.held_until)
                     FROM message m
                    WHERE m.submission_id = sized.id AND m.held_until IS NOT NULL)
             ELSE LEAST(held_until, CASE WHEN ending IS NULL AND EXISTS (SELECT FROM quiet) THEN (
               SELECT min(${quietUntil('u.recipient')})
                 FROM unnest(recipients[fanned_upto + 1 : fanned_upto + take]) AS u(recipient)
             ) END)
           END AS held
      FROM sized
  )`;

/** Submissions that leave the table of ready ones: fanned out or waiting, by this statement or by an earlier one. */
const GONE = sql`
  (SELECT lane, account_id, id FROM picked WHERE NOT is_ready
    UNION ALL
   SELECT lane, account_id, id FROM chunk WHERE fanned_out_at IS NOT NULL OR waits)`;

/**
 * The next state of a submission: done, ready for another round, or waiting for its rate or for the end of quiet hours.
 */
const CHUNK = sql`
  chunk AS (
    UPDATE submission s
       SET fanned_from = s.fanned_upto,
           fanned_upto = p.upto,
           held_until = p.held,
           fanned_out_at = CASE WHEN p.upto = p.total AND p.held IS NULL THEN now() END,
           waits = CASE
                     WHEN p.ending IS NOT NULL THEN false
                     WHEN p.upto < p.total THEN p.rate IS NOT NULL
                     ELSE p.held IS NOT NULL AND (p.held > now() OR p.rate IS NOT NULL)
                   END,
           listed = CASE
                      WHEN p.ending IS NOT NULL THEN true
                      WHEN p.upto < p.total THEN p.rate IS NULL
                      ELSE NOT (p.held IS NOT NULL AND (p.held > now() OR p.rate IS NOT NULL))
                    END,
           -- a rate is kept by the time each message takes; one that is late by more than half a second does not catch up
           due_at = CASE
                      WHEN p.upto = p.total AND p.held > now() THEN LEAST(p.held, s.expires_at)
                      WHEN p.rate IS NOT NULL
                      THEN GREATEST(s.due_at, now() - interval '500 milliseconds')
                           + make_interval(secs => p.take::float / p.rate)
                      ELSE s.due_at
                    END
      FROM planned p
     WHERE s.id = p.id
    RETURNING ${CLAIMED_CHUNK},
              s.waits, p.uses_up,
              CASE
                WHEN p.fanned_upto >= p.total AND (p.held <= now() OR p.held IS NOT NULL AND p.ending IS NOT NULL)
                THEN p.take
              END AS take_held
  ), unlisted AS (
    ${UNLIST_WAITING}
  ), done AS (
    ${deleteReady('sms', GONE)}
  )`;

/**
 * $7 lease, $8 to $11 quiet hours. A round with the maximum number of accounts returns the last one, since more may
 * follow it.
 */
const STATEMENT = sql`
  WITH RECURSIVE ${quietNow(QUIET)}, ${SHARES}, ${PLAN}, ${CHUNK}, ${insertChunks('$7')}
  SELECT ${FANNED_OUT},
         take_held AS "takeHeld",
         COALESCE(uses_up, false)
           OR (SELECT count(*) FROM account) >= $3::integer
           OR take_held IS NOT NULL
           -- a row that is not ready any more counted towards the quantum: others follow it
           OR EXISTS (SELECT FROM picked WHERE fills AND NOT is_ready) AS more,
         CASE WHEN (SELECT count(*) FROM account) >= $3::integer
              THEN (SELECT account_id FROM account ORDER BY place DESC LIMIT 1)
         END AS next
    FROM (VALUES (1)) AS one
    LEFT JOIN chunk ON true`;
