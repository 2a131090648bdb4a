import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { IS_CANCELLABLE, IS_WAITING, MAKE_CANCELLED_DUE, SET_CANCELLED } from './progress.ts';
import {
  SUBMISSION_MATCHES,
  type SubmissionFilter,
  idRange,
  matchValues,
  submissionWalk,
} from './submission-walk.ts';

/** A filter as it is stored: times are texts. */
type StoredFilter = Omit<SubmissionFilter, 'from' | 'to'> & { from?: string; to?: string };

/**
 * Pending messages of all submissions that match a filter, which are cancelled step by step, and the progress of
 * that.
 */
export interface Cancellation {
  id: string;
  status: 'RUNNING' | 'DONE' | 'STOPPED';
  filter: SubmissionFilter;
  /** Messages that waited when it began, as far as they were counted. */
  total: number;
  /** Submissions that were looked at. */
  examined: number;
  /** Submissions that were cancelled, and their messages that waited. */
  sends: number;
  cancelled: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A preview examines this many of the newest submissions. */
export const MAX_EXAMINED = 100_000;

/** The submissions that a step examines. */
const STEP = 2_000;

/** About the most messages that a preview reads, and that a step reads. Those not fanned out yet cost nothing. */
export const MAX_PREVIEWED = 500_000;
const MAX_READ = 100_000;

/** The messages of a submission `s` that are not fanned out. */
const UNFANNED = 'cardinality(s.recipients) - s.fanned_upto';

/** Joins the number of messages of a submission `s` that are fanned out and would be cancelled. */
const joinWaiting = (condition: string): string => sql`
  CROSS JOIN LATERAL (
    SELECT count(*) AS messages
      FROM message
     WHERE submission_id = s.id
       AND ${IS_WAITING}
       AND ${condition}
  ) AS waiting`;

/**
 * Walks submissions, and judges which match and are not over. `newer` counts the messages that were fanned out of
 * matching submissions before one: each of them is read to find the pending ones. `walked` counts all submissions.
 */
const judgedWalk = (filter: SubmissionFilter, limit: number): string => sql`
  SELECT judged.*,
         (count(*) OVER ())::integer AS walked,
         COALESCE(
           sum(fanned_upto) FILTER (WHERE matches) OVER (
             ORDER BY id DESC
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ),
           0
         ) AS newer
    FROM (
      SELECT s.id, s.recipients, s.fanned_upto, s.fanned_out_at, s.cancelled_at,
             ${SUBMISSION_MATCHES}
               AND s.expires_at > now()
               AND s.cancelled_at IS NULL AS matches
        FROM (
          ${submissionWalk(filter, String(limit))}
        ) AS s
    ) AS judged`;

const previewOf = (filter: SubmissionFilter): string => sql`
  SELECT count(*)::integer AS sends,
         COALESCE(sum(${UNFANNED} + waiting.messages), 0)::integer AS messages,
         -- later than what was accepted before, to the millisecond
         date_trunc('milliseconds', now()) + interval '1 millisecond' AS at
    FROM (
      ${judgedWalk(filter, MAX_EXAMINED)}
    ) AS s
   ${joinWaiting(`s.newer < ${MAX_PREVIEWED}`)}
   WHERE s.matches
     AND ${UNFANNED} + waiting.messages > 0`;

/** The sends and messages that a cancellation would cancel, and the time of the database. */
export interface Cancellable {
  sends: number;
  messages: number;
  at: Date;
}

/**
 * Counts what a cancellation would cancel, among the MAX_EXAMINED newest submissions of the account or campaign; of the
 * messages that were fanned out, among the MAX_PREVIEWED newest.
 */
export async function countCancellable(
  db: EntityManager,
  accountId: string,
  filter: SubmissionFilter,
): Promise<Cancellable> {
  const [row]: [Cancellable] = await db.query(previewOf(filter), [
    accountId,
    ...idRange(filter),
    ...matchValues(filter),
  ]);
  return row;
}

/** Inserts a cancellation of what was accepted up to now; workers carry it out. */
export async function insertCancellation(
  db: EntityManager,
  accountId: string,
  { id, filter, total, createdAt }: Cancellation,
): Promise<void> {
  await db.query(
    `INSERT INTO message_cancellation (id, account_id, status, filter, from_id, before_id, total, created_at)
     VALUES ($1, $2, 'RUNNING', $3, $4, $5, $6, $7)`,
    [
      id,
      accountId,
      JSON.stringify(filter),
      ...idRange({ ...filter, to: filter.to ?? createdAt }),
      total,
      createdAt,
    ],
  );
}

const COLUMNS = sql`
  id, status, filter, total, examined, sends, cancelled,
  created_at AS "createdAt", finished_at AS "finishedAt"`;

/** Finds a cancellation of an account. */
export async function findCancellation(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<Cancellation | undefined> {
  const [row]: (Cancellation & { filter: StoredFilter })[] = await db.query(
    `SELECT ${COLUMNS}
       FROM message_cancellation
      WHERE id = $1
        AND account_id = $2`,
    [id, accountId],
  );
  return row && { ...row, filter: readFilter(row.filter) };
}

/** Stops a cancellation: what it has cancelled stays cancelled. One that has ended stays as it is. */
export async function stopCancellation(db: EntityManager, accountId: string, id: string): Promise<void> {
  await db.query(
    `UPDATE message_cancellation
        SET status = 'STOPPED', finished_at = now()
      WHERE id = $1
        AND account_id = $2
        AND status = 'RUNNING'`,
    [id, accountId],
  );
}

/** A running cancellation and the position where it continues. */
interface Running {
  id: string;
  accountId: string;
  filter: StoredFilter;
  fromId: string;
  beforeId: string;
}

/** Draws an account, and its cancellation that has examined the fewest, so that those of no account delay another's. */
const LOCK = sql`
  SELECT id, account_id AS "accountId", filter, from_id AS "fromId", before_id AS "beforeId"
    FROM message_cancellation
   WHERE status = 'RUNNING'
   ORDER BY hashtextextended(account_id::text, (SELECT (random() * 1e9)::bigint)), examined, id
   LIMIT 1
     FOR UPDATE SKIP LOCKED`;

const EXAMINE = (filter: SubmissionFilter): string => sql`
  SELECT s.id, s.walked,
         s.matches AND ${IS_CANCELLABLE} AS "isCancellable"
    FROM (
      ${judgedWalk(filter, STEP)}
    ) AS s
   WHERE s.newer < ${MAX_READ} -- it ends with the one that brings them to this number
   ORDER BY s.id DESC`;

/** In the order of the ids, so that two statements never wait for each other. */
const LOCK_SENDS = sql`
  SELECT
    FROM submission
   WHERE id = ANY($1::uuid[])
   ORDER BY id
     FOR NO KEY UPDATE`;

const CANCEL = sql`
  WITH counted AS MATERIALIZED (
    SELECT s.id, (${UNFANNED} + waiting.messages)::integer AS messages
      FROM submission s
     ${joinWaiting('true')}
     WHERE s.id = ANY($1::uuid[])
  )
  UPDATE submission s
     ${SET_CANCELLED}
    FROM counted
   WHERE s.id = counted.id
     AND ${IS_CANCELLABLE}
  RETURNING counted.messages`;

const ADVANCE = sql`
  UPDATE message_cancellation
     SET before_id = COALESCE($2, before_id),
         examined = examined + $3,
         sends = sends + $4,
         cancelled = cancelled + $5,
         status = CASE WHEN $6 THEN 'DONE' ELSE status END,
         finished_at = CASE WHEN $6 THEN now() END
   WHERE id = $1`;

/**
 * Takes the next step of a running cancellation. Its messages end when a worker next claims them, as a rule immediately.
 * A step that runs twice cancels nothing twice.
 *
 * @returns 1, or 0 when none is running, or a worker has it
 */
export function advanceCancellations(db: EntityManager): Promise<number> {
  return db.transaction(async (transaction) => {
    const [running]: Running[] = await transaction.query(LOCK);
    if (!running) return 0;
    const filter = readFilter(running.filter);
    const seen: { id: string; walked: number; isCancellable: boolean }[] = await transaction.query(
      EXAMINE(filter),
      [running.accountId, running.fromId, running.beforeId, ...matchValues(filter)],
    );
    const ids = seen.filter(({ isCancellable }) => isCancellable).map(({ id }) => id);
    const ended = await cancelSends(transaction, ids);
    const cancelled = ended.reduce((sum, { messages }) => sum + messages, 0);
    const isEnd = seen.length < STEP && seen.length === (seen[0]?.walked ?? 0);
    const last = seen.at(-1)?.id ?? null;
    await transaction.query(ADVANCE, [running.id, last, seen.length, ended.length, cancelled, isEnd]);
    return 1;
  });
}

/**
 * Cancels submissions, as far as they have messages to cancel, in the transaction of the caller.
 *
 * @returns a row for each that was cancelled, with the number of its messages
 */
export async function cancelSends(db: EntityManager, ids: string[]): Promise<{ messages: number }[]> {
  await db.query(LOCK_SENDS, [ids]); // first, so that CANCEL sees messages stored by who has a lock
  await db.query(MAKE_CANCELLED_DUE, [ids]);
  return returning(db, CANCEL, [ids]);
}

function readFilter({ from, to, ...same }: StoredFilter | SubmissionFilter): SubmissionFilter {
  return {
    ...same,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}
