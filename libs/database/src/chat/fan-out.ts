import type { ChatContent, ChatKind } from '@signalbox/domain/chat/message';
import type { Ending } from '@signalbox/domain/ending';
import type { ChatLane } from '@signalbox/domain/lane';
import { PAIR_BURST, PAIR_SECONDS, SENDER_BURST_SECONDS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { steps } from '../core/steps.ts';
import {
  ENDED_COLUMNS,
  ENDED_RETURNING,
  ENDED_VALUES,
  ENDING_OF_SUBMISSION,
  endingOf,
  insertEndedEvents,
} from '../submissions/endings.ts';
import { insertClaimBatch } from '../submissions/chunks.ts';
import { UNMARK_WAITING, oldestReady } from '../submissions/ready-tables.ts';

/** A chat-app message that is to be rendered and submitted. */
export interface ClaimedChat {
  submissionId: string;
  n: number;
  accountId: string;
  sender: string;
  recipient: string;
  kind: ChatKind;
  content: ChatContent & { via?: string };
  sealed: Buffer | null;
  /** 1 for the first submit, and one more for each repeat. */
  attempt: number;
  /** Time since when gateways throttle it; absent when none does. */
  throttledAt?: Date | null;
}

/** The limits of a round of a lane, and where it begins. */
export interface ChatRoundLimits {
  /**
   * Messages to claim, in equal parts for the accounts, and within each for its senders. A sender with a token gets at
   * least one, so a round may exceed it.
   */
  budget: number;
  /** The `after` of the previous round; null to begin with the first sender. */
  after: string | null;
  leaseSeconds: number;
}

/** The result of a round of a lane. */
export interface ChatRound {
  /** Claimed for `leaseSeconds`. */
  messages: ClaimedChat[];
  /** Reports of messages that ended instead, to be enqueued. */
  reportIds: string[];
  /**
   * The messages that the senders of this round have left: `ready`, some may be claimed immediately; `paced`, they wait
   * for the rate, the lock or the pause of their sender; or `nothing`.
   */
  left: 'ready' | 'paced' | 'nothing';
  /** The sender after which the next round begins; null when this round reached the last. */
  after: string | null;
}

/** Maximum number of senders that share a round; more than that share several rounds. */
const MAX_SENDERS = 100;

/** The part of a sender's capacity that other messages leave to codes, at least one token. */
const KEPT_FOR_CODES = 0.2;

/**
 * Claims the ready messages of a lane, an equal part for each account, at the rate of each sender and of each pair of
 * sender and recipient, whatever the number of workers: the row of a sender is locked while its messages are claimed. A
 * message that comes too early for its pair gets `held_until`, waits for it, and is counted for its pair once: those
 * whose time has passed, as during a pause, leave together. A message ends here when it was cancelled, has expired, is
 * for a recipient who opted out, or is from a sender that is no longer the account's.
 */
export async function fanOutChat(
  db: EntityManager,
  lane: ChatLane,
  { budget, after, leaseSeconds }: ChatRoundLimits,
): Promise<ChatRound> {
  const rows: (ClaimedChat &
    Pick<ChatRound, 'left'> & {
      submissionId: string | null;
      reportIds: string[] | null;
      next: string | null;
    })[] = await db.query(STATEMENTS[lane], [
    lane,
    after ?? '',
    Math.min(budget, MAX_SENDERS),
    budget,
    leaseSeconds,
  ]);
  const { reportIds, left, next } = rows[0]!;
  return {
    messages: rows.filter((row) => row.submissionId !== null).map(toClaimed),
    reportIds: reportIds ?? [],
    left,
    after: next,
  };
}

function toClaimed({
  submissionId,
  accountId,
  sender,
  recipient,
  kind,
  content,
  sealed,
}: ClaimedChat): ClaimedChat {
  return { submissionId, n: 1, accountId, sender, recipient, kind, content, sealed, attempt: 1 };
}

/*
 * Claims the ready messages of a lane, as many as their senders and recipients may have now. A submission of a chat app
 * is one message. Each lane has its own statement: they lock senders differently, and leave different numbers of tokens
 * to codes.
 *
 *   $1  text     lane
 *   $2  text     the sender after which the round begins; '' to begin with the first
 *   $3  integer  maximum senders
 *   $4  integer  the budget of the round: messages to share, at least $3. Exceeded by less than $3, since each sender
 *                with a token gets one
 *   $5  integer  seconds for which the messages are claimed
 *
 * It chooses senders, then messages, and moves the pace of pairs on:
 *
 * 1. `ready_sender` has the next senders with something ready, in the order of their numbers.
 * 2. `locked` locks those that have a token for this lane.
 * 3. `share` gives each sender its tokens and its quantum, the messages that it may claim in this round.
 * 4. `picked` locks its oldest messages, and has the reason why a message ends.
 * 5. `numbered` counts the messages of each pair of a sender and a recipient.
 * 6. `pair` moves the pace of each pair on by all of these messages.
 * 7. `planned` has the time of each message by that pace, `leaves_at`. The message leaves now, to be submitted or stored
 *    as failed, or waits for that time.
 * 8. `used` has the tokens that each sender spends.
 *
 * Then it writes the rest:
 *
 * 9. `charged` moves the pace of the senders on.
 * 10. `removed` deletes the rows of the list. `unmarked` serves submissions of the previous version.
 * 11. `moved` changes the submissions, and `inserted` stores the messages that leave. `batch` stores their claim, and
 *     `ended_events` the events of those that end.
 *
 * It returns a row for each message to submit. Each row has the columns of `round` too, which is one row also without a
 * message.
 *
 * - Pace: GCRA, a token bucket in one column, `paced_until`, which each message moves on by the time that it takes at
 *   exactly the rate. A pair moves on by 6 s, and the message leaves if `paced_until` is then at most 45 * 6 s ahead. A
 *   sender's lies in the past: each 1 / rate seconds since then are one token, at most the burst (`base`). 0.1 s ago at a
 *   rate of 80 is 8 tokens. While the account is paused, it is infinity.
 * - Rate: a sender is locked until the transaction ends, so workers claim its messages one after another, and together
 *   keep its rate. One that waited for the lock reads `paced_until` after it; a sender without tokens by then counts as
 *   not locked. `now()` is from before the wait, so the pace may be late, never too fast.
 * - Once only: a message is locked before its state is read, and moves on in the statement that stores it. The rows of
 *   `ready_chat` only say where to look, and may be outdated. A pair counts a message once: `held_until`, which for a
 *   chat app only `moved` sets, says that it was counted.
 * - Locks: senders first, then submissions, then pairs; senders and pairs in the order of their keys. Locked submissions
 *   are skipped, so their order does not matter. A row of `ready_chat` is stored or deleted only by a transaction that has
 *   locked or inserted its submission, so none is deleted that has just become valid; and none is updated, so those of
 *   `picked` are where they were read, or gone. Codes wait for a locked sender, which takes milliseconds; other messages
 *   skip it.
 */
const READY_SENDER = steps('ready_sender', {
  column: 'sender',
  table: 'ready_chat',
  where: 'lane = $1',
  after: '$2',
  limit: '$3',
});

/** The tokens that a lane leaves to codes, by `capacity`. */
const KEPT: Record<ChatLane, string> = { CHAT: `GREATEST(capacity * ${KEPT_FOR_CODES}, 1)`, CHAT_OTP: '0' };

/** The next senders, and the tokens and the quantum of each. */
const senders = (lane: ChatLane): string => sql`
  ${READY_SENDER}, locked AS (
    -- \`capacity\`: the burst, ${SENDER_BURST_SECONDS} s of the rate, but at least 2: a message and a code. \`kept\`: the tokens left to
    -- codes. \`base\`: \`paced_until\`, but no earlier than that of a full bucket
    SELECT cs.msisdn, cs.account_id AS owner, cs.messages_per_second AS rate, reserve.kept,
           GREATEST(cs.paced_until, now() - make_interval(secs => bucket.capacity / cs.messages_per_second)) AS base
      FROM chat_sender cs
     CROSS JOIN LATERAL (SELECT GREATEST(cs.messages_per_second * ${SENDER_BURST_SECONDS}, 2) AS capacity) AS bucket
     CROSS JOIN LATERAL (SELECT ${KEPT[lane]} AS kept) AS reserve
     WHERE cs.msisdn IN (SELECT sender FROM ready_sender)
       AND cs.paced_until <= now() - make_interval(secs => (1.0 + reserve.kept) / cs.messages_per_second)
     ORDER BY cs.msisdn
       FOR NO KEY UPDATE OF cs${lane === 'CHAT' ? ' SKIP LOCKED' : ''}
  ), share AS (
    -- accounts have equal parts of the budget, and the senders of an account equal parts of that: each at least one
    -- message, and at most its tokens. Senders that are not locked have no owner and count as one account
    -- (\`max(nth_account)\` is the number of accounts). They have no tokens, unless the number is nobody's
    SELECT *,
           LEAST(
             tokens,
             GREATEST($4::integer / max(nth_account) OVER () / count(*) OVER (PARTITION BY owner), 1)
           )::integer AS quantum
      FROM (
        SELECT q.sender, locked.owner, locked.base, locked.rate,
               dense_rank() OVER (ORDER BY locked.owner) AS nth_account,
               CASE
                 WHEN locked.msisdn IS NOT NULL
                 -- times are rounded to microseconds, which must cost no token
                 THEN floor(extract(epoch FROM now() - locked.base) * locked.rate - locked.kept + 0.001)
                 WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = q.sender) THEN 0
                 -- nobody's number: its messages end, which costs no tokens
                 ELSE $4::integer
               END AS tokens
          FROM ready_sender q
          -- a left join would do, but the planner expects few rows, and a full join rules out a nested loop
          FULL JOIN locked ON locked.msisdn = q.sender
      ) AS counted
  )`;

const SENDER_GONE = `CASE WHEN s.account_id IS DISTINCT FROM share.owner THEN '${'sender_gone' satisfies Ending}' END`;

const SUBMISSION_COLUMNS = sql`
  s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until, q.ctid AS listed_at,
  ${endingOf('s', ENDING_OF_SUBMISSION, 's.recipients[1]', SENDER_GONE)} AS ending`;

/** The next messages of each sender, and the time of each. */
const MESSAGES = sql`
  picked AS (
    SELECT share.base, share.rate, share.tokens, share.quantum, oldest.*
      FROM share
     CROSS JOIN LATERAL (
       ${oldestReady('chatapp', 'share', 'share.quantum', SUBMISSION_COLUMNS)}
     ) AS oldest
  ), numbered AS (
    -- \`counts_for\`: the recipient whose pace it counts for; null for a message that ends, and for one that waited, which
    -- was counted before
    SELECT *,
           row_number() OVER (of_pair ORDER BY id) AS nth_of_pair,
           count(*) OVER of_pair AS in_pair
      FROM (
        SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
          FROM picked
         WHERE is_ready
      ) AS judged
    WINDOW of_pair AS (PARTITION BY account_id, sender, counts_for)
  ), pair AS (
    INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
    SELECT account_id, sender, counts_for, now() + make_interval(secs => in_pair * ${PAIR_SECONDS})
      FROM numbered
     WHERE nth_of_pair = 1
       AND counts_for IS NOT NULL
     ORDER BY account_id, sender, counts_for
    ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
       -- from where it is, or from now if the pair was idle; EXCLUDED has now() plus the time of these messages
       SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
    RETURNING account_id, sender, recipient, paced_until
  ), planned AS (
    -- \`paced_until\` counts all \`in_pair\` messages. After this one, the pair was at a time that is
    -- (in_pair - nth_of_pair) * ${PAIR_SECONDS} s earlier, and the message may leave ${PAIR_BURST} * ${PAIR_SECONDS} s before that time. \`leaves_at\` is
    -- null, and the message leaves now, when it ends or has waited before
    SELECT *, leaves_at IS NULL OR leaves_at <= now() AS leaves_now
      FROM (
        SELECT n.id, n.sender, n.recipient, n.ending, n.base, n.rate, n.tokens, n.quantum,
               pair.paced_until - make_interval(secs => (n.in_pair - n.nth_of_pair + ${PAIR_BURST}) * ${PAIR_SECONDS})
                 AS leaves_at
          FROM numbered n
          -- full only to rule out a nested loop: each pair is of a message of \`numbered\`
          FULL JOIN pair
            ON pair.account_id = n.account_id AND pair.sender = n.sender AND pair.recipient = n.counts_for
      ) AS timed
  ), used AS (
    -- a message that waits costs a token when it leaves. The columns of \`share\` are carried along, to avoid a join
    SELECT sender, base, rate, tokens, quantum,
           count(*) AS messages, count(*) FILTER (WHERE leaves_now AND ending IS NULL) AS spent
      FROM planned
     GROUP BY sender, base, rate, tokens, quantum
  )`;

/** The changes of senders and submissions, and the rows of messages. */
const WRITES = sql`
  charged AS (
    UPDATE chat_sender cs
       SET paced_until = used.base + make_interval(secs => used.spent / used.rate::float8)
      FROM used
     WHERE cs.msisdn = used.sender
       AND used.spent > 0
  ), unmarked AS (
    ${UNMARK_WAITING}
  ), removed AS (
    -- no row of \`picked\` stays listed: its message leaves or waits, or the row was outdated
    DELETE FROM ready_chat
     WHERE ctid = ANY(ARRAY(SELECT listed_at FROM picked))
  ), moved AS (
    UPDATE submission s
       SET fanned_upto = CASE WHEN p.leaves_now THEN 1 ELSE 0 END,
           fanned_out_at = CASE WHEN p.leaves_now THEN now() END,
           waits = NOT p.leaves_now,
           -- false while it waits. A worker of the previous version may end the wait without adding a row to the list:
           -- \`makeDueReady\` then adds it, because the submission neither waits nor is listed
           listed = p.leaves_now,
           held_until = CASE WHEN NOT p.leaves_now THEN p.leaves_at END,
           -- a code that is not sent is not kept
           sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
           due_at = CASE WHEN p.leaves_now THEN s.due_at ELSE LEAST(p.leaves_at, s.expires_at) END
      FROM planned p
     WHERE s.id = p.id
    -- \`fanned_from\` is always 0 here
    RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
              s.fanned_from, s.fanned_upto, p.ending, p.leaves_now
  ), inserted AS (
    INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                         ${ENDED_COLUMNS})
    SELECT id, 1, account_id, lane, recipient, credits, now() + make_interval(secs => $5),
           NULL, -- not the default, which is for the previous version
           ${ENDED_VALUES}
      FROM moved
     WHERE leaves_now
    RETURNING ${ENDED_RETURNING}
  ), batch AS (
    ${insertClaimBatch('moved', '$5')}
  ), ended_events AS (
    ${insertEndedEvents('inserted')}
  ), round AS (
    -- ready: a sender filled its quantum and has tokens left, or outdated rows took places of its messages. paced: a
    -- sender filled its quantum, or has no tokens. bool_or is null, so not true, when nothing was picked. \`next\`: the
    -- last sender of a full round
    SELECT CASE
             WHEN bool_or(messages = quantum AND spent < tokens) OR EXISTS (SELECT FROM picked WHERE NOT is_ready)
             THEN 'ready'
             WHEN bool_or(messages = quantum) OR EXISTS (SELECT FROM share WHERE quantum = 0) THEN 'paced'
             ELSE 'nothing'
           END AS "left",
           (SELECT sender FROM ready_sender WHERE place = $3::integer) AS next,
           (SELECT array_agg(id) FROM ended_events) AS "reportIds"
      FROM used
  )`;

const statement = (lane: ChatLane): string => sql`
  WITH RECURSIVE ${senders(lane)}, ${MESSAGES}, ${WRITES}
  SELECT round.*,
         m.id AS "submissionId", m.account_id AS "accountId", m.sender, m.recipient, m.kind, m.content, m.sealed
    FROM round
    LEFT JOIN moved m ON m.leaves_now AND m.ending IS NULL`;

const STATEMENTS: Record<ChatLane, string> = { CHAT_OTP: statement('CHAT_OTP'), CHAT: statement('CHAT') };
