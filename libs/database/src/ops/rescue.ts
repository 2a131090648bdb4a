import { MAX_STARTS, RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { Lane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { isRegisteredElsewhere } from '../templates/gateway-numbers.ts';
import {
  COLLECTED_REPORTS,
  COLLECT_MESSAGES,
  COLLECT_REPORTS,
  ENQUEUE_DELAY,
  MAY_BE_DEFERRED,
  REPORTS_DUE,
  afterDeferral,
} from './batches.ts';
import { firstIdAtSql } from './first-id-at.ts';

/*
 * The statements of the rescue duties. Each finds rows that wait although no job is likely to come for them, by the
 * time at which they are due. It claims a bounded number of rows and counts each claim. With each one the age doubles
 * at which the row is claimed again, and a row that always fails is parked. It skips locked rows, which are being
 * worked on, so no rescue waits for a worker or for another rescue.
 */

/** Maximum number of rows that one call claims, and the most messages of a lane that one call lists. */
const RESCUE_LIMIT = 5_000;

/**
 * Age at which a row is claimed while its queue is unreachable. A job that still runs has usually dealt with its rows by
 * then. Another process repeats those of a slower one, which is harmless: a push keeps its `webhook-id`.
 */
const UNREACHABLE_AFTER_SECONDS = 2;

/** True when a row claimed `starts` times is due, and no job of its queue is old enough to be the row's. */
const isLost = (createdAt: string): string => sql`
  starts < ${MAX_STARTS}
  AND ${createdAt} < now() - make_interval(
        secs => CASE starts WHEN 0 THEN $2::integer ELSE ${RESCUE_AFTER_SECONDS} * 2 ^ starts END
      )
  AND ${createdAt} < $1::timestamptz - ${ENQUEUE_DELAY}`;

/** Locks the lost rows of a table among those whose ids are in a range. */
const lockLost = (table: string, isOpen: string, createdAt: string, idRange: string): string => sql`
  SELECT id
    FROM ${table}
   WHERE ${isOpen}
     AND ${idRange}
     AND ${isLost(createdAt)}
   ORDER BY id
   LIMIT ${RESCUE_LIMIT}
     FOR UPDATE SKIP LOCKED`;

/**
 * Claims the lost rows of a table that has `starts`. $1 time of the oldest job of the queue, $2 age of a row not
 * claimed before. The bound of the ids spares it the rows that were made after the oldest job, which are millions in a
 * backlog. An id in the future was made by a host whose clock is fast, and says nothing about the age of its row.
 */
const claimLost = (table: string, isOpen: string, createdAt: string, columns = 'id'): string => sql`
  UPDATE ${table}
     SET starts = starts + 1
   WHERE id IN (
     SELECT id
       FROM (
         ${lockLost(table, isOpen, createdAt, `id < ${firstIdAtSql('LEAST(now(), $1::timestamptz)')}`)}
       ) AS past
      UNION ALL
     SELECT id
       FROM (
         ${lockLost(table, isOpen, createdAt, `id >= ${firstIdAtSql('now()')}`)}
       ) AS future
      LIMIT ${RESCUE_LIMIT}
   )
  RETURNING ${columns}`;

const CLAIM_VERIFICATIONS = claimLost('verification', "status = 'WAITING'", 'created_at');
/** True for a template that Signalbox reviews, and no provider. */
export const IS_OWN_REVIEW = sql`
  status = 'PENDING'
  AND deleted_at IS NULL
  AND NOT ${isRegisteredElsewhere('template')}`;

const CLAIM_REVIEWS = claimLost('template', IS_OWN_REVIEW, 'submitted_at');
const CLAIM_CALLBACKS = claimLost(
  'callback',
  'processed_at IS NULL',
  'received_at',
  'id, octet_length(body) AS "sizeBytes"',
);

/**
 * When the oldest job of a queue was enqueued. Null while the queue is unreachable: every row then counts as one
 * without a job.
 */
export type OldestJobAt = Date | null;

function claimValues(oldestJobAt: OldestJobAt): unknown[] {
  return oldestJobAt
    ? [oldestJobAt.toISOString(), RESCUE_AFTER_SECONDS]
    : ['infinity', UNREACHABLE_AFTER_SECONDS];
}

async function claimIds(db: EntityManager, statement: string, oldestJobAt: OldestJobAt): Promise<string[]> {
  const rows = await returning<{ id: string }>(db, statement, claimValues(oldestJobAt));
  return rows.map((row) => row.id);
}

/** Corrects `due_at` of messages that the previous version moved, because it does not know that column. */
const CORRECT_MESSAGES = sql`
  UPDATE message m
     SET due_at = CASE m.status WHEN 'SENT' THEN m.sent_at + ${ENQUEUE_DELAY} END,
         asks = CASE m.status WHEN 'SENT' THEN m.gateway END
    FROM (
      SELECT moved.submission_id, moved.n
        FROM unnest($1::text[]) AS wanted(lane)
       CROSS JOIN LATERAL (
         SELECT submission_id, n
           FROM message
          WHERE lane = wanted.lane
            AND asks IS NULL
            AND due_at IS NOT NULL
            AND due_at < now()
            AND status <> 'PENDING'
          LIMIT ${RESCUE_LIMIT}
            FOR UPDATE SKIP LOCKED
       ) AS moved
    ) AS moved
   WHERE m.submission_id = moved.submission_id
     AND m.n = moved.n`;

/** A message that is listed gets a later time, until which its job may come. */
const LIST_LOST_MESSAGES = sql`
  WITH listed AS (
    UPDATE message m
       SET due_at = now() + ${ENQUEUE_DELAY}
      FROM (
        SELECT lost.submission_id, lost.n
          FROM unnest($1::text[]) AS wanted(lane)
         CROSS JOIN LATERAL (
           SELECT submission_id, n
             FROM message
            WHERE lane = wanted.lane
              AND asks IS NULL
              AND due_at IS NOT NULL
              AND due_at < now()
              AND status = 'PENDING'
              AND held_until IS NULL
              AND starts < ${MAX_STARTS}
              AND claimed_until < now() - interval '1 second'
            ORDER BY due_at
            LIMIT ${RESCUE_LIMIT}
              FOR UPDATE SKIP LOCKED
         ) AS lost
      ) AS lost
     WHERE m.submission_id = lost.submission_id
       AND m.n = lost.n
    RETURNING m.lane, m.submission_id
  )
  SELECT lane, array_agg(DISTINCT submission_id) AS "submissionIds"
    FROM listed
   GROUP BY lane`;

/**
 * Lists the submissions of some lanes, by lane, with pending messages that no worker holds: their worker died, or their
 * job was lost. None of these messages is listed again within RESCUE_AFTER_SECONDS.
 *
 * @param paused lanes of which none is listed
 */
export async function listLostMessages<L extends Lane>(
  db: EntityManager,
  lanes: readonly L[],
  paused: readonly Lane[] = [],
): Promise<{ lane: L; submissionIds: string[] }[]> {
  await db.query(COLLECT_MESSAGES, [lanes]);
  await db.query(CORRECT_MESSAGES, [lanes]);
  return db.query(LIST_LOST_MESSAGES, [lanes.filter((lane) => !paused.includes(lane))]);
}

/** Age up to which a gateway is asked for the report of a message. */
const ASKED_FOR = `interval '1 day'`;

/**
 * True when stored reports wait for the rescue that should have read them, as after an outage. Asked now, a gateway
 * would repeat them, and the repeat could be pushed before the first, under another id.
 */
const REPORTS_UNREAD = sql`
  EXISTS (
    SELECT
      FROM report_batch
     WHERE is_code = ANY('{false,true}')
       AND due_at < now() - interval '6 seconds'
  )`;

/**
 * Sets when the gateway of each message is asked next. The time is empty after the last question, and for a message
 * that has its report. A gateway that cannot be asked has one more, at the end of the day for which messages are listed
 * as open.
 */
const CLAIM_OVERDUE = sql`
  WITH asked AS (
    UPDATE message m
       SET due_at = CASE WHEN due.is_asked_again THEN due.next_at END,
           asks = CASE WHEN due.is_asked_again THEN $1 END
      FROM (
        SELECT *, is_asked AND next_at > now() AND next_at < sent_at + ${ASKED_FOR} AS is_asked_again
          FROM (
            SELECT submission_id, n, sent_at, status = 'SENT' AS is_asked,
                   CASE
                     WHEN $3 THEN now() + GREATEST(now() - sent_at, make_interval(secs => ${RESCUE_AFTER_SECONDS}))
                     ELSE sent_at + ${ASKED_FOR} - interval '1 second'
                   END AS next_at
              FROM message
             WHERE asks = $1
               AND due_at < LEAST(now(), $2::timestamptz)
               AND sent_at < $2::timestamptz - ${ENQUEUE_DELAY}
               AND NOT ${REPORTS_UNREAD}
             ORDER BY due_at
             LIMIT ${RESCUE_LIMIT}
               FOR UPDATE SKIP LOCKED
          ) AS overdue
      ) AS due
     WHERE m.submission_id = due.submission_id
       AND m.n = due.n
    RETURNING m.submission_id, m.n, m.recipient, m.gateway_message_id, m.sent_at, due.is_asked
  )
  SELECT submission_id AS "submissionId", n, recipient, gateway_message_id AS "gatewayMessageId",
         (SELECT sender FROM submission WHERE id = asked.submission_id) AS sender
    FROM asked
   WHERE is_asked
     AND sent_at > now() - ${ASKED_FOR}`;

/** A message whose gateway is asked for its report. */
export interface OverdueMessage extends MessageKey {
  recipient: string;
  sender: string;
  /** The gateway's id of its first segment; null when it named none. */
  gatewayMessageId: string | null;
}

/**
 * Claims messages that wait for a final report of their gateway: sent longer ago than RESCUE_AFTER_SECONDS. The delay
 * doubles with each question, for a day; `askAgain` undoes that of a question that could not be asked. A message older
 * than a day is not returned and never claimed again. The time of the first question is set by `listLostMessages`. None
 * is claimed while stored reports wait for their rescue.
 *
 * @param oldestReportJobAt time of the oldest job. A message sent after it, or shortly before, is left alone: its
 * report may be in the queue
 * @param canBeAsked false for a gateway that cannot be asked: its messages are claimed twice, now and after a day
 */
export function claimOverdue(
  db: EntityManager,
  gateway: string,
  oldestReportJobAt: Date,
  canBeAsked = true,
): Promise<OverdueMessage[]> {
  return db.query(CLAIM_OVERDUE, [gateway, oldestReportJobAt.toISOString(), canBeAsked]);
}

/** Seconds after which a gateway is asked again that could not be asked. */
export const ASK_AGAIN_SECONDS = 30;

const KEYS = rowset('key', { submission_id: 'uuid', n: 'integer' }, 2);

/** $1 gateway. */
const ASK_AGAIN = sql`
  UPDATE message m
     SET due_at = now() + interval '${ASK_AGAIN_SECONDS} seconds', asks = $1
    FROM (
      SELECT m.submission_id, m.n
        FROM ${KEYS.from}
        JOIN message m ON m.submission_id = key.submission_id AND m.n = key.n
       WHERE m.status = 'SENT'
         AND m.sent_at > now() - ${ASKED_FOR}
         -- empty after the last question
         AND COALESCE(m.asks, $1) = $1
       ORDER BY m.submission_id, m.n
         FOR UPDATE OF m
    ) AS unasked
   WHERE m.submission_id = unasked.submission_id
     AND m.n = unasked.n`;

/**
 * Makes messages overdue again in ASK_AGAIN_SECONDS, because their gateway could not be asked about them. Leaves those
 * alone that have their report, or are too old to be asked about.
 */
export async function askAgain(
  db: EntityManager,
  gateway: string,
  messages: readonly MessageKey[],
): Promise<void> {
  await db.query(ASK_AGAIN, [gateway, ...KEYS.values(messages)]);
}

/** Also clears `due_at` of reports that the previous version settled, because it does not know that column. */
const CLAIM_REPORTS = sql`
  WITH due AS MATERIALIZED (
    SELECT id, settled_at IS NULL AND ${MAY_BE_DEFERRED} AS may_be_deferred
      FROM message_event r
     WHERE is_code = $3
       AND due_at < ${REPORTS_DUE}
       AND (settled_at IS NOT NULL OR ${isLost('received_at')})
     ORDER BY due_at
     LIMIT ${RESCUE_LIMIT}
       FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE message_event r
       SET starts = r.starts + CASE WHEN r.settled_at IS NULL AND NOT may_be_deferred THEN 1 ELSE 0 END,
           due_at = CASE
                      WHEN r.settled_at IS NOT NULL THEN NULL
                      WHEN may_be_deferred THEN ${afterDeferral('r.received_at')}
                      WHEN r.starts + 1 >= ${MAX_STARTS} THEN 'infinity'
                      ELSE r.received_at + make_interval(secs => ${RESCUE_AFTER_SECONDS} * 2 ^ (r.starts + 1))
                    END
      FROM due
     WHERE r.id = due.id
    RETURNING r.id, r.settled_at IS NULL AND NOT may_be_deferred AS is_lost
  )
  SELECT id
    FROM claimed
   WHERE is_lost`;

/** Time for which one pass reads batches of reports; the next pass reads the rest. */
const COLLECT_MS = 1_000;

/** Gives a time to the open reports of batches that are due. Returns the number of reports that it read. */
async function collectReports(db: EntityManager, values: unknown[]): Promise<number> {
  const [{ read }]: [{ read: number }] = await db.query(COLLECT_REPORTS, values);
  return read;
}

/**
 * Claims unsettled reports that are older than the oldest job of their queue: those about codes, or the others. Reports
 * that match no message come again, ever later. One that may be deferred is not claimed.
 */
export async function claimLostReports(
  db: EntityManager,
  oldestJobAt: OldestJobAt,
  isCode: boolean,
): Promise<string[]> {
  const values = [...claimValues(oldestJobAt), isCode];
  const endAt = performance.now() + COLLECT_MS;
  while ((await collectReports(db, values)) >= COLLECTED_REPORTS && performance.now() < endAt);
  const rows: { id: string }[] = await db.query(CLAIM_REPORTS, values);
  return rows.map(({ id }) => id);
}

/** Claims verifications that wait for their code and are older than the oldest job of the queue. */
export function claimLostVerifications(db: EntityManager, oldestJobAt: OldestJobAt): Promise<string[]> {
  return claimIds(db, CLAIM_VERIFICATIONS, oldestJobAt);
}

/**
 * Claims templates that wait for their review and have no job. A template claimed MAX_STARTS times is left for a
 * person.
 */
export function claimLostReviews(db: EntityManager, oldestJobAt: OldestJobAt): Promise<string[]> {
  return claimIds(db, CLAIM_REVIEWS, oldestJobAt);
}

/** A callback to be enqueued, with its size. */
export interface LostCallback {
  id: string;
  sizeBytes: number;
}

/** Claims unprocessed callbacks that are older than the oldest job of the queue. */
export function claimLostCallbacks(db: EntityManager, oldestJobAt: OldestJobAt): Promise<LostCallback[]> {
  return returning(db, CLAIM_CALLBACKS, claimValues(oldestJobAt));
}
