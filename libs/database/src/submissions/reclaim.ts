import type { Ending } from '@signalbox/domain/ending';
import { FAN_OUT_CHUNK, MAX_STARTS } from '@signalbox/domain/limits';
import type { Lane, SmsLane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { takeOverUntil } from '../core/settling.ts';
import { guard, sql } from '../core/sql.ts';
import { BATCHED_MESSAGES } from '../gateways/submit-batches.ts';
import { ENDED_COLUMNS, ENDED_VALUES, ENDING_OF_SUBMISSION, endingOf, insertEndedEvents } from './endings.ts';
import { quietNow, quietRules, quietUntil } from './quiet.ts';
import type { SmsContent } from './submissions.ts';

/** A message that is claimed again: its gateway throttled it, its worker died, or its quiet hours ended. */
export interface ReclaimedMessage {
  submissionId: string;
  accountId: string;
  n: number;
  recipient: string;
  /** 1 for the first submit, and one more for each repeat. */
  attempt: number;
  sender: string;
  lane: SmsLane;
  /** Segments counted at acceptance. */
  credits: number;
  content: SmsContent;
  expiresAt: Date;
  /** Time since when gateways throttle it; null when none does. */
  throttledAt: Date | null;
  sealed: Buffer | null;
  /** The recipient's values; null when the text has none. */
  custom: string[] | null;
}

/** Messages claimed again: SMS, or `ClaimedChat` of the lanes of chat-app messages. */
export interface Reclaimed<Message = ReclaimedMessage> {
  messages: Message[];
  /** Reports of messages that ended instead, to be enqueued. */
  reportIds: string[];
}

/**
 * Claims pending messages of these submissions whose last claim has ended: a gateway throttled them, or their worker
 * died. Each submission gets an equal share of FAN_OUT_CHUNK, so that none waits behind the messages of another. Leaves
 * those alone whose submit batch has not ended, and all of them while workers could not renew their claims. A message
 * that was started MAX_STARTS times stays parked. A chat-app message ends when its sender is no longer the account's.
 *
 * @param ids at most FAN_OUT_CHUNK submissions
 * @param quiet the quiet hours of their lane
 * @returns those that proceed, claimed for `leaseSeconds`, and the submissions that may have more than their share
 */
export async function reclaim<Message = ReclaimedMessage>(
  db: EntityManager,
  ids: string[],
  leaseSeconds: number,
  quiet: readonly QuietRule[] = [],
): Promise<Reclaimed<Message> & { unfinished: string[] }> {
  const share = Math.max(1, Math.floor(FAN_OUT_CHUNK / (ids.length || 1)));
  const values = [ids, share, leaseSeconds, ...QUIET.values(quiet), takeOverUntil(db)];
  const rows = await db.query(RECLAIM, values);
  const unfinished = rows.find((row: { unfinished: string[] | null }) => row.unfinished)?.unfinished ?? [];
  return { ...toReclaimed<Message>(rows), unfinished };
}

/** Messages of a submission that quiet hours held, at most `take` of them. */
export interface HeldMessages {
  id: string;
  take: number;
}

/**
 * Claims held messages whose quiet hours ended. Those that expired or were cancelled meanwhile end instead.
 */
export async function claimHeld(
  db: EntityManager,
  held: readonly HeldMessages[],
  leaseSeconds: number,
  quiet: readonly QuietRule[],
): Promise<Reclaimed> {
  const values = [...HELD.values(held), leaseSeconds, ...QUIET.values(quiet)];
  return toReclaimed(await db.query(CLAIM_HELD, values));
}

/**
 * Claims messages that were released to the workers whose gateway of one of these names is up. A message that another
 * worker has claimed since, or that moved, is left alone.
 *
 * @returns of at most `limit` messages those that proceed, claimed for `leaseSeconds`
 */
export async function claimPinned<Message = ReclaimedMessage>(
  db: EntityManager,
  lane: Lane,
  gateways: readonly string[],
  { limit, leaseSeconds, quiet = [] }: { limit: number; leaseSeconds: number; quiet?: readonly QuietRule[] },
): Promise<Reclaimed<Message>> {
  return toReclaimed(
    await db.query(CLAIM_PINNED, [[lane, ...gateways], limit, leaseSeconds, ...QUIET.values(quiet)]),
  );
}

/** The statements return at least one row, which has no message when there is none. */
function toReclaimed<Message>(
  rows: (Message & { submissionId: string | null; reportIds: string[] | null })[],
): Reclaimed<Message> {
  const { reportIds } = rows.find((row) => row.reportIds !== null) ?? { reportIds: null };
  return { messages: rows.filter((row) => row.submissionId !== null), reportIds: reportIds ?? [] };
}

/** $3 lease, $4 to $7 quiet hours. */
const QUIET = quietRules(4);
const HELD = rowset('wanted', { id: 'uuid', take: 'integer' });

/** Of the messages in `free` some end, some are held (again) by quiet hours, and the others are claimed. */
const CLAIM = sql`
  judged AS MATERIALIZED (
    SELECT free.*,
           CASE WHEN ending IS NULL THEN
             ${quietUntil('recipient')}
           END AS quiet_until
      FROM free
  ), ended AS (
    UPDATE message m
       SET (${ENDED_COLUMNS}) = (
             ${ENDED_VALUES}
           ),
           held_until = NULL,
           due_at = NULL
      FROM judged j
     WHERE m.submission_id = j.submission_id
       AND m.n = j.n
       AND j.ending IS NOT NULL
    RETURNING m.submission_id, m.n, m.status, m.err_code, m.status_description, m.moved_by
  ), ended_events AS (
    ${insertEndedEvents('ended')}
  ), held AS (
    UPDATE message m
       SET held_until = j.quiet_until, claimed_until = j.quiet_until, due_at = NULL
      FROM judged j
     WHERE m.submission_id = j.submission_id
       AND m.n = j.n
       AND j.quiet_until IS NOT NULL
  ), resting AS (
    -- a submission with held messages counts as not fanned out. Once all its recipients are stored, it waits until the
    -- first of them may be sent, or it expires
    UPDATE submission s
       SET held_until = LEAST(s.held_until, j.quiet_until),
           fanned_out_at = NULL,
           waits = s.waits OR s.fanned_upto = cardinality(s.recipients),
           listed = NOT s.waits AND s.fanned_upto < cardinality(s.recipients),
           due_at = CASE
                      WHEN s.fanned_upto < cardinality(s.recipients) THEN s.due_at
                      WHEN s.waits THEN LEAST(s.due_at, j.quiet_until)
                      ELSE LEAST(s.held_until, j.quiet_until, s.expires_at)
                    END
      FROM (
        SELECT submission_id, min(quiet_until) AS quiet_until
          FROM judged
         WHERE quiet_until IS NOT NULL
         GROUP BY submission_id
         ORDER BY submission_id
      ) AS j
     WHERE s.id = j.submission_id
  ), claimed AS (
    UPDATE message m
       SET lane = s.lane,
           claimed_until = now() + make_interval(secs => $3),
           starts = m.starts + 1,
           held_until = NULL,
           -- the last start: parked, unless this claim has an outcome
           due_at = CASE WHEN m.starts + 1 < ${MAX_STARTS} THEN now() + make_interval(secs => $3 + 1) ELSE 'infinity' END
      FROM judged j
      JOIN submission s ON s.id = j.submission_id
     WHERE m.submission_id = j.submission_id
       AND m.n = j.n
       AND j.ending IS NULL
       AND j.quiet_until IS NULL
    RETURNING m.submission_id AS "submissionId", m.account_id AS "accountId", m.n, m.recipient,
              m.starts + m.throttles AS attempt, m.credits, m.throttled_at AS "throttledAt",
              s.lane, s.sender, s.kind, s.content, s.sealed, s.expires_at AS "expiresAt"
  ), given AS MATERIALIZED (
    -- copied, so that values of megabytes are decompressed once for a submission, and not for each of its messages
    SELECT id, custom || '[]' AS custom
      FROM submission
     WHERE id = ANY(ARRAY(SELECT DISTINCT "submissionId" FROM claimed))
       AND custom IS NOT NULL
  ), taken AS (
    SELECT claimed.*, given.custom -> (claimed.n - 1) AS custom
      FROM claimed
      -- full only to rule out a nested loop: all values are those of claimed messages
      FULL JOIN given ON given.id = claimed."submissionId"
  )`;

const CLAIMED = sql`
  SELECT taken.*, r.ids AS "reportIds"
    FROM (SELECT array_agg(id) AS ids FROM ended_events) AS r
    LEFT JOIN taken ON true
   ORDER BY "submissionId", n`;

/**
 * True for a message that may be claimed again. Guarded, so that the messages of a submission are found by their key.
 */
const IS_FREE = guard(sql`
  m.status = 'PENDING'
  AND m.held_until IS NULL
  AND m.claimed_until <= now()
  AND m.starts < ${MAX_STARTS}`);

const SENDER_GONE = sql`
  CASE WHEN s.channel = 'chatapp' AND NOT EXISTS (
         SELECT
           FROM chat_sender cs
          WHERE cs.msisdn = s.sender
            AND cs.account_id = s.account_id
       ) THEN '${'sender_gone' satisfies Ending}' END`;

/** $2 is the share of each submission. One more row has the two arrays. */
const RECLAIM = sql`
  WITH ${quietNow(QUIET)}, free AS MATERIALIZED (
    SELECT f.*, s.fanned_upto,
           ${endingOf('s', ENDING_OF_SUBMISSION, 'f.recipient', SENDER_GONE)} AS ending
      FROM unnest($1::uuid[]) AS wanted(id)
      JOIN submission s ON s.id = wanted.id
     CROSS JOIN LATERAL (
       SELECT m.submission_id, m.n, m.recipient
         FROM message m
        WHERE m.submission_id = s.id
          AND ${IS_FREE}
          AND now() <= $8
          AND (m.submission_id, m.n, m.starts + m.throttles) NOT IN (
            ${BATCHED_MESSAGES}
          )
        ORDER BY m.n
        LIMIT $2
          FOR UPDATE SKIP LOCKED
     ) AS f
  ), ${CLAIM}
  SELECT taken.*, r.*
    FROM taken
    FULL JOIN (
      SELECT (SELECT array_agg(id) FROM ended_events) AS "reportIds",
             ARRAY(
               SELECT submission_id
                 FROM free
                WHERE fanned_upto > $2
                GROUP BY submission_id
               HAVING count(*) = $2
             ) AS unfinished
    ) AS r ON false
   ORDER BY "submissionId", n`;

const CLAIM_HELD = sql`
  WITH ${quietNow(QUIET)}, free AS MATERIALIZED (
    SELECT f.*, ${endingOf('s', ENDING_OF_SUBMISSION, 'f.recipient')} AS ending
      FROM ${HELD.from}
      JOIN submission s ON s.id = wanted.id
     CROSS JOIN LATERAL (
       SELECT m.submission_id, m.n, m.recipient
         FROM message m
        WHERE m.submission_id = s.id
          AND m.held_until IS NOT NULL
          AND ${guard("m.status = 'PENDING'")}
          AND (m.held_until <= now() OR s.cancelled_at IS NOT NULL OR s.expires_at <= now())
        ORDER BY m.held_until, m.n
        LIMIT wanted.take
          FOR UPDATE SKIP LOCKED
     ) AS f
  ), ${CLAIM}
  ${CLAIMED}`;

/** $1 the lane, then the gateways; $2 the most messages. */
const CLAIM_PINNED = sql`
  WITH ${quietNow(QUIET)}, pinned AS (
    DELETE FROM pinned_message
     WHERE (gateway, submission_id, n) IN (
       SELECT gateway, submission_id, n
         FROM pinned_message
        WHERE gateway = ANY(($1::text[])[2:])
          AND lane = ($1::text[])[1]
        ORDER BY gateway, submission_id, n
        LIMIT $2
          FOR UPDATE SKIP LOCKED
     )
    RETURNING submission_id, n, attempt
  ), free AS MATERIALIZED (
    SELECT m.submission_id, m.n, m.recipient,
           ${endingOf('s', ENDING_OF_SUBMISSION, 'm.recipient', SENDER_GONE)} AS ending
      FROM pinned
      JOIN message m ON m.submission_id = pinned.submission_id AND m.n = pinned.n
      JOIN submission s ON s.id = m.submission_id
     WHERE m.starts + m.throttles = pinned.attempt
       AND ${guard(sql`
         m.status = 'PENDING'
         AND m.held_until IS NULL
         AND m.starts < ${MAX_STARTS}`)}
     ORDER BY m.submission_id, m.n
       FOR UPDATE OF m SKIP LOCKED
  ), ${CLAIM}
  ${CLAIMED}`;
