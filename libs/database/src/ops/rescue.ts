import { MAX_STARTS, RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { AnyLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/*
 * The statements of the rescuers. Each finds rows that wait although no job is likely to come for them. It uses a partial index
 * of the rows that may be due, claims a bounded number, and counts each claim: after each a row must be twice as old before the next, and a
 * row that always fails is parked. It skips locked rows, which are being worked on, so no rescuer waits for a worker.
 */

/** The most rows that one call claims, and the most messages of a lane that one call lists. */
const RESCUE_LIMIT = 5_000;

/**
 * A busy process enqueues a job seconds after it wrote the row, so the job of a row may be this much younger than the
 * row.
 */
const ENQUEUE_DELAY = `make_interval(secs => ${RESCUE_AFTER_SECONDS})`;

/** Age at which a row is claimed while its queue is unreachable: longer than a job that still runs takes for it. */
const UNREACHABLE_AFTER_SECONDS = 2;

/** True when a row claimed `starts` times is due, and no job of its queue is old enough to be the row's. */
const isLost = (createdAt: string): string => sql`
  starts < ${MAX_STARTS}
  AND ${createdAt} < now() - make_interval(
        secs => CASE starts WHEN 0 THEN $2::integer ELSE ${RESCUE_AFTER_SECONDS} * 2 ^ starts END
      )
  AND ${createdAt} < $1::timestamptz - ${ENQUEUE_DELAY}`;

/**
 * Claims the lost rows of a table that has `starts`. $1 time of the oldest job of the queue, $2 age of a row not
 * claimed before.
 */
const claimLost = (table: string, isOpen: string, createdAt: string, columns = 'id'): string => sql`
  UPDATE ${table}
     SET starts = starts + 1
   WHERE id IN (
     SELECT id
       FROM ${table}
      WHERE ${isOpen}
        AND ${isLost(createdAt)}
      ORDER BY id
      LIMIT ${RESCUE_LIMIT}
        FOR UPDATE SKIP LOCKED
   )
  RETURNING ${columns}`;

const CLAIM_REPORTS = claimLost('message_event', 'settled_at IS NULL AND NOT is_code', 'received_at');
const CLAIM_CODE_REPORTS = claimLost('message_event', 'settled_at IS NULL AND is_code', 'received_at');
const CLAIM_VERIFICATIONS = claimLost('verification', "status = 'WAITING'", 'created_at');
const CLAIM_REVIEWS = claimLost('template', "status = 'PENDING' AND deleted_at IS NULL", 'submitted_at');
const CLAIM_CALLBACKS = claimLost(
  'callback',
  'processed_at IS NULL',
  'received_at',
  'id, octet_length(body) AS "sizeBytes"',
);

/** When the oldest job of a queue was enqueued; null while the queue is unreachable, so that no row can have a job. */
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

/**
 * Runs a pass in a transaction, unless another process runs one of the same name.
 *
 * @returns undefined when another process does
 */
export function withAdvisoryLock<R>(
  db: EntityManager,
  name: string,
  pass: (db: EntityManager) => Promise<R>,
): Promise<R | undefined> {
  return db.transaction(async (transaction) => {
    const [lock]: { taken: boolean }[] = await transaction.query(
      `SELECT pg_try_advisory_xact_lock(hashtext('signalbox rescue'), hashtext($1)) AS taken`,
      [name],
    );
    return lock?.taken ? pass(transaction) : undefined;
  });
}

/** Reads the pending messages whose claim ended from the index message_pending, the oldest first. */
const lostMessages = (isOfLane: string): string => sql`
  SELECT submission_id
    FROM message
   WHERE ${isOfLane}
     AND status = 'PENDING'
     AND held_until IS NULL
     AND starts < ${MAX_STARTS}
     AND claimed_until < now() - interval '1 second'
   ORDER BY claimed_until
   LIMIT ${RESCUE_LIMIT}`;

/** Messages stored before they carried their lane take it from their submission. */
const LIST_LOST_MESSAGES = sql`
  SELECT lane, array_agg(DISTINCT submission_id) AS "submissionIds"
    FROM (
      SELECT wanted.lane, lost.submission_id
        FROM unnest($1::text[]) AS wanted(lane)
       CROSS JOIN LATERAL (
         ${lostMessages('lane = wanted.lane')}
       ) AS lost
       UNION ALL
      SELECT s.lane, s.id
        FROM (
          ${lostMessages('lane IS NULL')}
        ) AS lost
        JOIN submission s ON s.id = lost.submission_id
       WHERE s.lane = ANY($1::text[])
    ) AS found
   GROUP BY lane`;

/**
 * Lists the submissions of some lanes, by lane, with pending messages that no worker holds: their worker died, or their
 * job was lost.
 */
export function listLostMessages<L extends AnyLane>(
  db: EntityManager,
  lanes: readonly L[],
): Promise<{ lane: L; submissionIds: string[] }[]> {
  return db.query(LIST_LOST_MESSAGES, [lanes]);
}

/** Age up to which a gateway is asked for the report of a message. */
const ASKED_FOR = `interval '1 day'`;

/**
 * The claim of a sent message is the time of its next question. After the last it is infinite, which takes the message
 * out of the index message_unreported.
 */
const CLAIM_OVERDUE = sql`
  WITH asked AS (
    UPDATE message m
       SET claimed_until = CASE WHEN due.next_at < due.sent_at + ${ASKED_FOR} THEN due.next_at ELSE 'infinity' END
      FROM (
        SELECT submission_id, n, sent_at,
               now() + GREATEST(now() - sent_at, make_interval(secs => ${RESCUE_AFTER_SECONDS})) AS next_at
          FROM message
         WHERE status = 'SENT'
           AND held_until IS NULL
           AND claimed_until < 'infinity'
           AND gateway = $1
           AND claimed_until < LEAST(now(), $2::timestamptz)
           AND sent_at < $2::timestamptz - ${ENQUEUE_DELAY}
         ORDER BY claimed_until
         LIMIT ${RESCUE_LIMIT}
           FOR UPDATE SKIP LOCKED
      ) AS due
     WHERE m.submission_id = due.submission_id
       AND m.n = due.n
    RETURNING m.submission_id, m.n, m.recipient, m.sent_at
  )
  SELECT submission_id AS "submissionId", n, recipient
    FROM asked
   WHERE sent_at > now() - ${ASKED_FOR}`;

/**
 * Claims messages whose gateway owes a final report: sent longer ago than RESCUE_AFTER_SECONDS. The delay doubles with
 * each question, for a day. Older messages are claimed permanently and not returned.
 *
 * @param oldestReportJobAt the report of a message that was sent or due for a question after this, or shortly before,
 * may be
 *   waiting in the queue
 */
export function claimOverdue(
  db: EntityManager,
  gateway: string,
  oldestReportJobAt: Date,
): Promise<{ submissionId: string; n: number; recipient: string }[]> {
  return db.query(CLAIM_OVERDUE, [gateway, oldestReportJobAt.toISOString()]);
}

/**
 * Claims unsettled reports that are older than the oldest job of their queue: those about codes, or the others. Reports
 * that match no message come again, ever later.
 */
export function claimLostReports(
  db: EntityManager,
  oldestJobAt: OldestJobAt,
  isCode: boolean,
): Promise<string[]> {
  return claimIds(db, isCode ? CLAIM_CODE_REPORTS : CLAIM_REPORTS, oldestJobAt);
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

/** A table whose rows count the runs of their jobs. */
export type StartedTable = 'message_event' | 'callback' | 'verification';

const IS_OPEN: Record<StartedTable, string> = {
  message_event: 'settled_at IS NULL',
  callback: 'processed_at IS NULL',
  verification: "status = 'WAITING'",
};

const countStartsOf = (table: StartedTable): string => sql`
  UPDATE ${table}
     SET starts = starts + 1
   WHERE id IN (
     SELECT id
       FROM ${table}
      WHERE id = ANY($1::uuid[])
        AND ${IS_OPEN[table]}
        AND starts < ${MAX_STARTS}
        FOR UPDATE SKIP LOCKED
   )
  RETURNING id`;

const COUNT_STARTS = {
  message_event: countStartsOf('message_event'),
  callback: countStartsOf('callback'),
  verification: countStartsOf('verification'),
};

/**
 * Counts one more start of open rows, for a job that runs again. Commit it before the work: a worker that dies then has
 * counted. Skips locked rows, which another job works on.
 *
 * @returns the rows that are open and were not parked, in the order of `ids`
 */
export async function countStarts(db: EntityManager, table: StartedTable, ids: string[]): Promise<string[]> {
  const rows = await returning<{ id: string }>(db, COUNT_STARTS[table], [ids]);
  const counted = new Set(rows.map((row) => row.id));
  return ids.filter((id) => counted.has(id));
}

/** Parked rows are counted up to this number. */
const COUNT_LIMIT = 10_000;

const countUpTo = (table: string, isParked: string): string => sql`
  (SELECT count(*)::integer
     FROM (
       SELECT
         FROM ${table}
        WHERE ${isParked}
          AND starts >= ${MAX_STARTS}
        LIMIT ${COUNT_LIMIT}
     ) AS parked) AS ${table}`;

const COUNT_PARKED = sql`
  SELECT ${countUpTo('message', "status = 'PENDING' AND held_until IS NULL")},
         ${countUpTo('message_event', 'settled_at IS NULL')},
         ${countUpTo('template', "status = 'PENDING' AND deleted_at IS NULL")},
         ${countUpTo('callback', 'processed_at IS NULL')},
         ${countUpTo('verification', "status = 'WAITING'")}`;

/** The number of parked rows of each table, at most COUNT_LIMIT. */
export type ParkedRows = Record<StartedTable | 'message' | 'template', number>;

/** Counts the parked rows, by table: rows that failed MAX_STARTS times. docs/operations.md says how to release them. */
export async function countParked(db: EntityManager): Promise<ParkedRows> {
  const [row]: [ParkedRows] = await db.query(COUNT_PARKED);
  return row;
}
