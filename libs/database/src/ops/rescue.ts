import { MAX_STARTS, RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { AnyLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';

/**
 * The statements of the rescuers: each finds rows that wait although no job is likely to come for them. All of them go by a
 * partial index of the open rows, take a bounded number, and count what they take, so that a row which always fails is
 * parked in the end: after each ring a row must be twice as old before it is rung for again. A row that somebody has locked is
 * being worked on: it is passed over, and so no rescuer ever waits for a worker that waits for it.
 */
const RESCUE_LIMIT = 5_000;

/** A busy bell rings seconds after its row was written, so a row's job may be so much younger than the row. */
const BELL_DELAY = `make_interval(secs => ${RESCUE_AFTER_SECONDS})`;

/** A row with `starts` rings is due, and no job of its queue is old enough to be the row's. */
const IS_LOST = (createdAt: string): string => `
  starts < ${MAX_STARTS} AND ${createdAt} < now() - make_interval(secs => ${RESCUE_AFTER_SECONDS} * 2 ^ starts)
  AND ${createdAt} < $1::timestamptz - ${BELL_DELAY}`;

/**
 * Runs a rescue pass unless another process is at one of the same name.
 *
 * @returns undefined when another one is
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

/** Submissions of some lanes with pending messages that no worker holds, by lane: their worker died, or their retry was lost. */
export function listLostMessages<L extends AnyLane>(
  db: EntityManager,
  lanes: readonly L[],
): Promise<{ lane: L; submissionIds: string[] }[]> {
  return db.query(
    `SELECT s.lane, array_agg(s.id) AS "submissionIds"
       FROM (SELECT DISTINCT submission_id
               FROM (SELECT submission_id FROM message
                      WHERE status = 'PENDING' AND held_until IS NULL AND claimed_until < now() - interval '1 second' AND starts < ${MAX_STARTS} LIMIT ${RESCUE_LIMIT}) AS lost
            ) AS free
       JOIN submission s ON s.id = free.submission_id
      WHERE s.lane = ANY($1::text[])
      GROUP BY s.lane`,
    [lanes],
  );
}

/**
 * Messages whose gateway owes a final report: sent longer ago than RESCUE_AFTER_SECONDS, and each time it is asked the wait
 * doubles, for a day. The claim of a message that is sent serves as the time of its next question.
 *
 * @param oldestReportJobAt a message sent after this, or a little before, may have its report waiting in the queue
 */
export async function claimOverdue(
  db: EntityManager,
  gateway: string,
  oldestReportJobAt: Date,
): Promise<{ submissionId: string; n: number; recipient: string }[]> {
  const [rows] = (await db.query(
    `UPDATE message m SET claimed_until = now() + GREATEST(now() - m.sent_at, make_interval(secs => ${RESCUE_AFTER_SECONDS}))
       FROM (SELECT submission_id, n FROM message
              WHERE status = 'SENT' AND held_until IS NULL AND claimed_until < now() AND gateway = $1 AND sent_at > now() - interval '1 day' AND sent_at < $2::timestamptz - ${BELL_DELAY}
              LIMIT ${RESCUE_LIMIT} FOR UPDATE SKIP LOCKED) AS due
      WHERE m.submission_id = due.submission_id AND m.n = due.n
      RETURNING m.submission_id AS "submissionId", m.n, m.recipient`,
    [gateway, oldestReportJobAt.toISOString()],
  )) as [{ submissionId: string; n: number; recipient: string }[], number];
  return rows;
}

/** Reports that are not settled and are older than the oldest job of the queue; those that match no message come again, ever later. */
export async function claimLostReports(db: EntityManager, oldestJobAt: Date): Promise<string[]> {
  const [rows] = (await db.query(
    `UPDATE delivery_report SET starts = starts + 1
      WHERE id IN (SELECT id FROM delivery_report WHERE settled_at IS NULL AND ${IS_LOST('received_at')}
                    ORDER BY id LIMIT ${RESCUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [oldestJobAt.toISOString()],
  )) as [{ id: string }[], number];
  return rows.map((row) => row.id);
}

/** Verifications that wait for their code and are older than the oldest job of the queue. */
export async function claimLostVerifications(db: EntityManager, oldestJobAt: Date): Promise<string[]> {
  const [rows] = (await db.query(
    `UPDATE verification SET starts = starts + 1
      WHERE id IN (SELECT id FROM verification WHERE status = 'WAITING' AND ${IS_LOST('created_at')}
                    ORDER BY id LIMIT ${RESCUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [oldestJobAt.toISOString()],
  )) as [{ id: string }[], number];
  return rows.map((row) => row.id);
}

/** Templates that wait for their review and have no job; each is counted, and left for a person after so many. */
export async function claimLostReviews(db: EntityManager, oldestJobAt: Date): Promise<string[]> {
  const [rows] = (await db.query(
    `UPDATE template SET starts = starts + 1
      WHERE id IN (SELECT id FROM template WHERE status = 'PENDING' AND deleted_at IS NULL AND ${IS_LOST('submitted_at')}
                    ORDER BY id LIMIT ${RESCUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [oldestJobAt.toISOString()],
  )) as [{ id: string }[], number];
  return rows.map((row) => row.id);
}

/** A callback to ring for, and how large it is. */
export interface LostCallback {
  id: string;
  sizeBytes: number;
}

/** Callbacks that wait to be read and are older than the oldest job of the queue. */
export async function claimLostCallbacks(db: EntityManager, oldestJobAt: Date): Promise<LostCallback[]> {
  const [rows] = (await db.query(
    `UPDATE callback SET starts = starts + 1
      WHERE id IN (SELECT id FROM callback WHERE processed_at IS NULL AND ${IS_LOST('received_at')}
                    ORDER BY id LIMIT ${RESCUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING id, octet_length(body) AS "sizeBytes"`,
    [oldestJobAt.toISOString()],
  )) as [LostCallback[], number];
  return rows;
}

/** How many rows of each table are parked. */
export type ParkedRows = Record<'message' | 'delivery_report' | 'template' | 'callback', number>;

/** Rows that were taken up so often that they are left alone, by table; docs/operations.md tells how to set them free. */
export async function countParked(db: EntityManager): Promise<ParkedRows> {
  const [row] = (await db.query(
    `SELECT (SELECT count(*) FROM message WHERE status = 'PENDING' AND held_until IS NULL AND starts >= ${MAX_STARTS})::integer AS message,
            (SELECT count(*) FROM delivery_report WHERE settled_at IS NULL AND starts >= ${MAX_STARTS})::integer AS delivery_report,
            (SELECT count(*) FROM template WHERE status = 'PENDING' AND deleted_at IS NULL AND starts >= ${MAX_STARTS})::integer AS template,
            (SELECT count(*) FROM callback WHERE processed_at IS NULL AND starts >= ${MAX_STARTS})::integer AS callback`,
  )) as [ParkedRows];
  return row;
}
