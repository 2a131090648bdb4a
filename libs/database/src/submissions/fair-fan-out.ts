import { MIN_UUID } from '@signalbox/domain/id-time';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { SmsLane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { guard, sql } from '../core/sql.ts';
import { steps } from '../core/steps.ts';
import { CLAIMED_CHUNK, FANNED_OUT, insertChunks } from './chunks.ts';
import { ENDING_OF_SUBMISSION } from './endings.ts';
import { quietEnd, quietNow, quietRules } from './quiet.ts';
import { UNMARK_WAITING, deleteReady, oldestReady } from './ready-tables.ts';
import type { HeldMessages } from './reclaim.ts';
import type { SubmissionChunk } from './submissions.ts';

/** The size of a round of a lane, and the limits of its accounts. */
export interface RoundLimits {
  /**
   * Maximum messages to claim. The accounts of the round share it equally, each with at least one message unless its
   * allowance is 0.
   */
  budget: number;
  /**
   * Maximum messages that each limited account may send now, 0 for one that is paused or delayed. Other accounts are
   * limited by their share alone.
   */
  allowances: ReadonlyMap<string, number>;
  /** The `after` of the previous round, so that this one continues there; null to begin with the first account. */
  after: string | null;
  quiet: readonly QuietRule[];
}

/** The result of a round of a lane. */
export interface FairRound {
  chunks: SubmissionChunk[];
  /** Submissions with held messages that may be sent, or end, now, and the maximum number to claim of each. */
  heldDue: HeldMessages[];
  /** True when another round may claim something. */
  more: boolean;
  /** The account after which the next round begins; null to begin with the first account. */
  after: string | null;
}

/** Maximum accounts that share a round; more accounts share several rounds. */
const MAX_ACCOUNTS = 50;

/**
 * Fans out the ready submissions of a lane, an equal share for each account: an account with a million messages gets no
 * larger share than one with a single message. A submission with a rate limit yields the messages of half a second, at
 * least one, and waits again. One that has only held messages left waits for the end of their quiet hours, and is then
 * in `heldDue`.
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
  const heldDue = chunks.flatMap(({ id, takeHeld }) => (takeHeld === null ? [] : [{ id, take: takeHeld }]));
  const { more, next } = rows[0]!;
  return {
    chunks: chunks.filter(({ recipients }) => recipients.length > 0),
    heldDue,
    // a round that did not begin with the first account says nothing of those before its own
    more: more || next !== null || heldDue.length > 0 || after !== null,
    after: next,
  };
}

type ChunkRow = SubmissionChunk & { takeHeld: number | null };

/** A chunk, and the columns of `round`, which every row repeats. A round without a chunk is one row with a null id. */
type RoundRow = (ChunkRow | Record<keyof ChunkRow, null>) & { more: boolean; next: string | null };

function isChunk(row: RoundRow): row is ChunkRow & RoundRow {
  return row.id !== null;
}

const QUIET = quietRules(8);

const READY_ACCOUNT = steps('ready_account', {
  column: 'account_id',
  table: 'ready_sms',
  where: 'lane = $1',
  after: '$2::uuid',
  limit: '$3',
});

const SUBMISSION_COLUMNS = sql`
  s.id, s.lane, s.account_id, s.recipients, cardinality(s.recipients) AS total, s.fanned_upto, s.held_until,
  s.rate_per_second AS rate,
  ${ENDING_OF_SUBMISSION} AS ending`;

/*
 * Shares a round between the accounts of a lane, and stores the messages that each may send.
 *
 *   $1       text       lane
 *   $2       uuid       the account after which the round begins; MIN_UUID to begin with the first
 *   $3       integer    maximum accounts
 *   $4       integer    the budget of the round: maximum messages, at least $3
 *   $5, $6   uuid[], integer[]   accounts with a limit, and the messages that each may send now
 *   $7       integer    seconds for which the new messages are claimed
 *   $8-$11   text[], time[], time[], text[]   quiet hours: the prefix, the beginning, the end and the zone of each
 *
 * It decides what each submission yields:
 *
 * 1. `quiet` has the quiet hours that are in force.
 * 2. `ready_account` has the next accounts in the list of ready submissions, `ready_sms`, in the order of their ids.
 * 3. `share` gives each its quantum, the messages that it may claim in this round.
 * 4. `needed` counts how many of its oldest submissions make up that quantum, by the list.
 * 5. `picked` locks as many: the oldest that no other worker has locked.
 * 6. `offered` has the messages that each submission could yield, new or held, `granted` those that it yields.
 * 7. `reached` and `planned` have the state of each submission after that.
 *
 * Then it writes:
 *
 * 8. `chunk` moves the submissions to that state, and returns the recipients of the new messages.
 * 9. `removed` deletes rows of the list that no longer apply. `unmarked` serves submissions of the previous version.
 * 10. The CTEs of `insertChunks` store messages, their claim, and the events of those that end instead.
 *
 * It returns a row for each chunk. Each row has the columns of `round` too, which is one row also without a chunk.
 *
 * - Once only: a submission is locked before its position is read, and moves on in the statement that stores its
 *   messages. The rows of `ready_sms` only say where to look, and may be outdated.
 * - Locks: submissions that another worker has locked are skipped, so rounds of several workers never wait for one
 *   another. Only what the quantum needs is locked, so a bulk leaves the next submission to another worker. `listReady`
 *   writes rows without a lock, so a row may be outdated when it is written. No valid row is deleted: a submission becomes
 *   ready only under its lock, by a statement that writes its row.
 * - Held: a message in quiet hours is stored, and claimed later. A submission counts as fanned out, `fanned_out_at`, only
 *   once its last held message is claimed. Until then `held_until` is the earliest time at which one may be sent. Once
 *   all recipients are stored, a round yields no new messages for it, but `take_held`, the number that `claimHeld` may
 *   claim.
 * - Order: a round serves the submissions of an account in the order of their ids, without those that another worker
 *   has locked, and the recipients of each by position.
 */
const STATEMENT = sql`
  WITH RECURSIVE ${quietNow(QUIET)}, ${READY_ACCOUNT}, share AS (
    -- an equal part of the budget, or the allowance where that is less; accounts that may send nothing have no share.
    -- LEAST skips a null
    SELECT a.account_id,
           LEAST($4::integer / count(*) OVER (), u.allowance)::integer AS quantum
      FROM ready_account a
      LEFT JOIN unnest($5::uuid[], $6::integer[]) AS u(account_id, allowance) ON u.account_id = a.account_id
     WHERE COALESCE(u.allowance, 1) > 0
  ), needed AS (
    -- \`submissions\`: how many of the oldest rows of the list add up to the quantum. \`fills\`: whether they reach it. A
    -- CTE of its own, because FOR UPDATE is not allowed with window functions
    SELECT share.*, counted.submissions, counted.fills
      FROM share
     CROSS JOIN LATERAL (
       SELECT count(*) AS submissions, sum(messages) >= share.quantum AS fills
         FROM (
           SELECT messages, sum(messages) OVER (ORDER BY id) - messages AS listed_before
             FROM (
               SELECT id, COALESCE(messages, 1) AS messages -- null in rows of the previous version
                 FROM ready_sms
                WHERE lane = $1
                  AND account_id = share.account_id
                ORDER BY id
                LIMIT share.quantum -- a row counts for at least one message
             ) AS listed
         ) AS summed
        WHERE listed_before < share.quantum
     ) AS counted
  ), picked AS (
    SELECT oldest.*, needed.quantum, needed.fills
      FROM needed
     CROSS JOIN LATERAL (
       ${oldestReady('sms', 'needed', 'needed.submissions', SUBMISSION_COLUMNS)}
     ) AS oldest
  ), offered AS (
    -- all messages that are left, or a chunk of the held ones when only held ones are left; at a rate, at most those of
    -- half a second, but at least one. The rate does not matter for a submission that ends
    SELECT *,
           LEAST(
             CASE WHEN fanned_upto < total THEN total - fanned_upto ELSE ${FAN_OUT_CHUNK} END,
             CASE WHEN ending IS NULL AND rate IS NOT NULL THEN GREATEST(rate / 2, 1) END
           ) AS size
      FROM picked
     WHERE is_ready
  ), granted AS (
    -- \`offered_before\`: the messages that older submissions of the account offer. \`take\`: the part of \`size\` that still
    -- fits into the quantum
    SELECT *, LEAST(size, quantum - offered_before)::integer AS take
      FROM (
        SELECT *, sum(size) OVER (PARTITION BY account_id ORDER BY id) - size AS offered_before
          FROM offered
      ) AS summed
     WHERE offered_before < quantum
  ), reached AS MATERIALIZED (
    -- \`upto\`: the new position. \`held\`: the earliest time at which a held message may be sent; perhaps too early, as
    -- opt-outs are not looked up here. Materialized, or \`planned\` would compute it for each of its uses
    SELECT *,
           LEAST(fanned_upto + take, total) AS upto,
           CASE
             -- only held messages are left, perhaps fewer than when \`held_until\` was set
             WHEN fanned_upto >= total
             THEN (SELECT min(m.held_until)
                     FROM message m
                    WHERE m.submission_id = granted.id
                      AND m.held_until IS NOT NULL
                      AND ${guard("m.status = 'PENDING'")})
             WHEN ending IS NULL AND EXISTS (SELECT FROM quiet)
             THEN LEAST(held_until, (
                    SELECT min((
                             ${quietEnd('u.recipient')}
                           ))
                      FROM unnest(recipients[fanned_upto + 1 : fanned_upto + take]) AS u(recipient)
                  ))
             ELSE held_until
           END AS held
      FROM granted
  ), planned AS (
    -- \`waits\`: for its rate, or for the end of quiet hours. What ends needs neither. With held messages that may be sent
    -- now, and no rate, it stays ready until they are claimed
    SELECT *,
           CASE
             WHEN ending IS NOT NULL THEN false
             WHEN upto < total THEN rate IS NOT NULL
             ELSE held IS NOT NULL AND (held > now() OR rate IS NOT NULL)
           END AS waits
      FROM reached
  ), chunk AS (
    UPDATE submission s
       SET fanned_from = s.fanned_upto, -- the old position, which RETURNING needs
           fanned_upto = p.upto,
           held_until = p.held,
           fanned_out_at = CASE WHEN p.upto = p.total AND p.held IS NULL THEN now() END,
           waits = p.waits,
           -- false while it waits. A worker of the previous version may end the wait without adding a row to the list:
           -- \`makeDueReady\` then adds it, because the submission neither waits nor is listed
           listed = NOT p.waits,
           due_at = CASE
                      -- what is left of it ends in the next round
                      WHEN p.ending IS NOT NULL THEN s.due_at
                      -- only held messages are left: when the first may be sent, or when they expire
                      WHEN p.upto = p.total AND p.held > now() THEN LEAST(p.held, s.expires_at)
                      -- after the time that these messages take at the rate. Half a second of lateness is made up
                      WHEN p.rate IS NOT NULL
                      THEN GREATEST(s.due_at, now() - interval '500 milliseconds')
                           + make_interval(secs => p.take::float / p.rate)
                      ELSE s.due_at
                    END
      FROM planned p
     WHERE s.id = p.id
    RETURNING ${CLAIMED_CHUNK},
              s.waits,
              -- held messages that may be sent, or end, now: claimed by another statement. p.fanned_upto is the old
              -- position
              CASE
                WHEN p.fanned_upto >= p.total AND (p.held <= now() OR p.held IS NOT NULL AND p.ending IS NOT NULL)
                THEN p.take
              END AS take_held
  ), unmarked AS (
    -- only submissions that are not ready: \`chunk\` updates only ready ones, so no row is updated twice
    ${UNMARK_WAITING}
  ), unready AS (
    -- fanned out or waiting, by this round or before it
    SELECT lane, account_id, id FROM picked WHERE NOT is_ready
     UNION ALL
    SELECT lane, account_id, id FROM chunk WHERE fanned_out_at IS NOT NULL OR waits
  ), removed AS (
    ${deleteReady('sms', 'unready')}
  ), ${insertChunks('$7')}, round AS (
    -- \`more\`: an account filled its quantum, by the list, which may be outdated, or by what its submissions offered (a
    -- paced submission counts as one message in the list); or a submission is still ready, such as one that ends and has
    -- held messages left. \`next\`: the last account of a full round
    SELECT EXISTS (SELECT FROM picked WHERE fills)
             OR EXISTS (SELECT FROM granted WHERE offered_before + size >= quantum)
             OR EXISTS (SELECT FROM chunk WHERE fanned_out_at IS NULL AND NOT waits) AS more,
           (SELECT account_id FROM ready_account WHERE place = $3::integer) AS next
  )
  SELECT ${FANNED_OUT},
         take_held AS "takeHeld",
         round.more, round.next
    FROM round
    LEFT JOIN chunk ON true`;
