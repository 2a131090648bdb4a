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
import { IS_READY, UNLIST_WAITING, deleteReady } from '../submissions/ready-tables.ts';

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

/** The size of a round of a lane, and where it begins. */
export interface ChatShare {
  /**
   * Maximum number of messages to claim. Accounts share it equally, and so do the senders of each; a sender gets at
   * least one.
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
   * The rest of these senders: messages that may be claimed immediately, messages that wait for the rate of their
   * sender, or none.
   */
  left: 'ready' | 'paced' | 'nothing';
  /** The sender after which the next round begins; null when this round reached the last. */
  after: string | null;
}

/** Maximum number of senders that share a round; more than that share several rounds. */
const MAX_SENDERS = 100;

/** The part of a sender's tokens that messages leave to codes, at least one token. */
const KEPT_FOR_CODES = 0.2;

/**
 * Claims the ready messages of a lane, an equal part for each account, at the rate of each sender and of each pair of
 * sender and recipient, whatever the number of workers: the row of a sender is locked while its messages are claimed. A
 * message that comes too early for its pair gets a time and waits for it, and is counted for its pair once. A message
 * ends here when it was cancelled, has expired, is for a recipient who opted out, or is from a sender that is no longer
 * the account's.
 */
export async function fanOutChat(
  db: EntityManager,
  lane: ChatLane,
  { budget, after, leaseSeconds }: ChatShare,
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
 * Senders and pairs are paced by one rule, a token bucket in one column: `paced_until` is the time at which all messages so far
 * would have been sent if they had been spread evenly. A message may be ahead of that by the burst. The tokens a sender has
 * saved up are the time from `paced_until` to now, times its rate.
 */

const SENDER_GONE = `CASE WHEN s.account_id IS DISTINCT FROM part.owner THEN '${'sender_gone' satisfies Ending}' END`;

const seconds = (count: string): string => `make_interval(secs => (${count})::float8)`;

/** Maximum number of tokens a sender saves up. At least two: one for a message while one is kept for a code. */
const capacity = (rate: string): string => `GREATEST(${rate} * ${SENDER_BURST_SECONDS}, 2)`;

/** The tokens that a lane leaves untouched. */
const kept = (lane: ChatLane, rate: string): string =>
  lane === 'CHAT' ? `GREATEST(${capacity(rate)} * ${KEPT_FOR_CODES}, 1)` : '0';

/** The time that `count` tokens of a sender take, in seconds. */
const timeOf = (count: string, rate: string): string => sql`
  make_interval(secs => (
    (${count}) / ${rate}::numeric
  )::float8)`;

/**
 * Joins two CTEs of which the first has a row for each row of the second, so that a left join would do; but the planner
 * expects few rows of each, and would compare each with each.
 */
const HASHED_JOIN = 'FULL JOIN';

/**
 * The senders of the round, and the tokens and the part of each. Messages skip a locked sender; codes wait, since that
 * takes milliseconds.
 */
const parts = (lane: ChatLane): string => sql`
  ${steps('scan', { column: 'sender', table: 'ready_chat', where: 'lane = $1', after: '$2', limit: '$3' })}, locked AS MATERIALIZED (
    -- locks the senders that have a token, beyond those this lane leaves untouched
    SELECT cs.msisdn, cs.account_id, cs.messages_per_second AS rate, cs.paced_until
      FROM chat_sender cs
     WHERE cs.msisdn IN (SELECT sender FROM scan)
       AND cs.paced_until <= now()
           - ${timeOf(`1 + ${kept(lane, 'cs.messages_per_second')}`, 'cs.messages_per_second')}
     ORDER BY cs.msisdn
       FOR NO KEY UPDATE ${lane === 'CHAT' ? 'SKIP LOCKED' : ''}
  ), paced AS MATERIALIZED (
    -- \`base\` is \`paced_until\`, but never longer ago than it takes to save up all tokens
    SELECT msisdn, account_id, rate,
           GREATEST(paced_until, now() - ${seconds(`${capacity('rate')} / rate`)}) AS base
      FROM locked
  ), part AS MATERIALIZED (
    -- equal parts of the budget for each account, and of that for each of its senders, but not more than a sender
    -- has tokens for. senders without an owner or without a token count as one account.
    -- a sender that is nobody's needs no tokens: its messages end
    SELECT *,
           LEAST(
             tokens,
             GREATEST($4::integer / max(account) OVER () / count(*) OVER (PARTITION BY account), 1)
           )::integer AS quantum
      FROM (
        SELECT scan.sender, p.account_id AS owner, p.base, p.rate,
               dense_rank() OVER (ORDER BY p.account_id) AS account,
               CASE
                 WHEN p.msisdn IS NOT NULL
                 THEN floor(
                   extract(epoch FROM now() - p.base) * p.rate - ${kept(lane, 'p.rate')} + 0.001
                 )
                 WHEN EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = scan.sender) THEN 0
                 ELSE $4::integer
               END AS tokens
          FROM scan
          ${HASHED_JOIN} paced p ON p.msisdn = scan.sender
      ) AS counted
  )`;

/** The oldest messages of each sender, as many as its part. */
const PICKED = sql`
  picked AS MATERIALIZED (
    SELECT part.base, part.rate, part.tokens, part.quantum, oldest.*
      FROM part
     CROSS JOIN LATERAL (
       SELECT s.id, s.account_id, s.sender, s.recipients[1] AS recipient, s.held_until,
              COALESCE(
                ${endingOf('s', ENDING_OF_SUBMISSION, 's.recipients[1]')},
                ${SENDER_GONE}
              ) AS ending,
              ${IS_READY} AS is_ready
         FROM ready_chat q
         JOIN submission s ON s.id = q.id
        WHERE q.lane = $1
          AND q.sender = part.sender
        ORDER BY q.id
        LIMIT part.quantum
          FOR UPDATE OF s SKIP LOCKED
     ) AS oldest
  ), unlisted AS (
    ${UNLIST_WAITING}
  ), done AS (
    -- each of them leaves or waits now, or did before
    ${deleteReady('chatapp', '(SELECT $1::text AS lane, sender, id FROM picked)')}
  )`;

/** The time of each message by the rate of its pair. */
const PLANNED = sql`
  counted AS MATERIALIZED (
    -- numbers the messages of each pair. \`counts_for\` is null for a message that ends, which costs its pair nothing,
    -- and for one that was held, which was counted before
    SELECT *,
           row_number() OVER pair AS place,
           count(*) OVER (PARTITION BY account_id, sender, counts_for) AS count
      FROM (
        SELECT *, CASE WHEN ending IS NULL AND held_until IS NULL THEN recipient END AS counts_for
          FROM picked
         WHERE is_ready
      ) AS judged
    WINDOW pair AS (PARTITION BY account_id, sender, counts_for ORDER BY id)
  ), pair AS (
    -- moves each pair on by all its messages at once, in the order of the key
    INSERT INTO chat_pair AS p (account_id, sender, recipient, paced_until)
    SELECT account_id, sender, counts_for, now() + ${seconds(`count * ${PAIR_SECONDS}`)}
      FROM counted
     WHERE place = 1
       AND counts_for IS NOT NULL
     ORDER BY account_id, sender, counts_for
    ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
       SET paced_until = GREATEST(p.paced_until, now()) + (EXCLUDED.paced_until - now())
    RETURNING account_id, sender, recipient, paced_until
  ), planned AS MATERIALIZED (
    -- \`slot\` is when a message may be sent: the last of its pair a burst before \`paced_until\`,
    -- each message before it one step earlier
    SELECT *, slot IS NULL OR slot <= now() AS leaves
      FROM (
        SELECT c.id, c.sender, c.recipient, c.ending, c.base, c.rate, c.tokens, c.quantum,
               pair.paced_until - ${seconds(`(c.count - c.place + ${PAIR_BURST}) * ${PAIR_SECONDS}`)} AS slot
          FROM counted c
          ${HASHED_JOIN} pair
            ON pair.account_id = c.account_id AND pair.sender = c.sender AND pair.recipient = c.counts_for
      ) AS slotted
  ), gone AS MATERIALIZED (
    -- the columns of each sender come along, so that nothing has to be joined with \`part\` again
    SELECT sender, base, rate, tokens, quantum,
           count(*) AS taken, count(*) FILTER (WHERE leaves AND ending IS NULL) AS going
      FROM planned
     GROUP BY sender, base, rate, tokens, quantum
  ), charged AS (
    -- a sender pays for the messages that leave; those that wait for their pair pay when they do
    UPDATE chat_sender cs
       SET paced_until = g.base + ${seconds('g.going / g.rate::float8')}
      FROM gone g
     WHERE cs.msisdn = g.sender
       AND g.going > 0
  )`;

/** Moves the picked messages: they leave, wait for their slot, or end. $5 lease. */
const TAKEN = sql`
  taken AS (
    UPDATE submission s
       SET fanned_upto = CASE WHEN p.leaves THEN 1 ELSE 0 END,
           fanned_out_at = CASE WHEN p.leaves THEN now() END,
           waits = NOT p.leaves,
           listed = p.leaves,
           held_until = CASE WHEN NOT p.leaves THEN p.slot END,
           sealed = CASE WHEN p.ending IS NULL THEN s.sealed END,
           due_at = CASE WHEN p.leaves THEN s.due_at ELSE LEAST(p.slot, s.expires_at) END
      FROM planned p
     WHERE s.id = p.id
    RETURNING s.id, s.account_id, s.lane, s.sender, p.recipient, s.kind, s.content, s.sealed, s.credits,
              s.fanned_from, s.fanned_upto, p.ending, p.leaves
  ), inserted AS (
    INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, claimed_until, due_at,
                         ${ENDED_COLUMNS})
    SELECT id, 1, account_id, $1, recipient, credits, now() + make_interval(secs => $5), NULL,
           ${ENDED_VALUES}
      FROM taken
     WHERE leaves
    RETURNING ${ENDED_RETURNING}
  ), batch AS (
    ${insertClaimBatch('taken', '$5')}
  ), reported AS (
    ${insertEndedEvents('inserted')}
  ), round AS (
    -- a sender that filled its part may have more: ready as long as it has tokens left, else paced
    SELECT CASE
             WHEN bool_or(taken = quantum AND going < tokens) THEN 'ready'
             WHEN bool_or(taken = quantum) OR EXISTS (SELECT FROM part WHERE quantum = 0) THEN 'paced'
             ELSE 'nothing'
           END AS "left",
           (SELECT CASE WHEN count(*) >= $3::integer THEN max(sender) END FROM part) AS next
      FROM gone
  )`;

/** $1 lane, $2 the sender to begin after, $3 senders, $4 messages, $5 lease. */
const statement = (lane: ChatLane): string => sql`
  WITH RECURSIVE ${parts(lane)}, ${PICKED}, ${PLANNED}, ${TAKEN}
  SELECT round.*, r.ids AS "reportIds",
         t.id AS "submissionId", t.account_id AS "accountId", t.sender, t.recipient, t.kind, t.content, t.sealed
    FROM round
   CROSS JOIN (SELECT array_agg(id) AS ids FROM reported) AS r
    LEFT JOIN taken t ON t.leaves AND t.ending IS NULL`;
const STATEMENTS: Record<ChatLane, string> = { CHAT_OTP: statement('CHAT_OTP'), CHAT: statement('CHAT') };
