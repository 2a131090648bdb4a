import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { IS_CANCELLABLE, IS_WAITING, SET_CANCELLED } from './progress.ts';
import {
  SUBMISSION_MATCHES,
  type SubmissionFilter,
  idRange,
  matchValues,
  submissionWalk,
} from './submission-walk.ts';

/** A filter as it is stored: times are texts. */
type StoredFilter = Omit<SubmissionFilter, 'from' | 'to'> & { from?: string; to?: string };

/** Pending messages of all submissions that match a filter, which are cancelled step by step, and the progress of that. */
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

/** The messages of a submission `s` that would be cancelled. */
const WAITING = sql`
  (
    cardinality(s.recipients) - s.fanned_upto
    + (
      SELECT count(*)
        FROM message
       WHERE submission_id = s.id
         AND ${IS_WAITING}
    )
  )::integer`;

const previewOf = (filter: SubmissionFilter): string => sql`
  SELECT count(*)::integer AS sends, COALESCE(sum(messages), 0)::integer AS messages
    FROM (
      SELECT ${WAITING} AS messages
        FROM (
          ${submissionWalk(filter, String(MAX_EXAMINED))}
        ) AS s
       WHERE ${SUBMISSION_MATCHES}
         AND s.expires_at > now()
         AND ${IS_CANCELLABLE}
    ) AS counted
   WHERE messages > 0`;

/** Counts what a cancellation would cancel, among the MAX_EXAMINED newest submissions of the account or campaign. */
export async function countCancellable(
  db: EntityManager,
  accountId: string,
  filter: SubmissionFilter,
): Promise<{ sends: number; messages: number }> {
  const [row]: [{ sends: number; messages: number }] = await db.query(previewOf(filter), [
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

/** A running cancellation and where it goes on. */
interface Running {
  id: string;
  accountId: string;
  filter: StoredFilter;
  fromId: string;
  beforeId: string;
}

const LOCK = sql`
  SELECT id, account_id AS "accountId", filter, from_id AS "fromId", before_id AS "beforeId"
    FROM message_cancellation
   WHERE status = 'RUNNING'
   ORDER BY examined, id -- the youngest first: a long one delays no other
   LIMIT 1
     FOR UPDATE SKIP LOCKED`;

const EXAMINE = (filter: SubmissionFilter): string => sql`
  SELECT s.id,
         ${SUBMISSION_MATCHES}
           AND s.expires_at > now()
           AND ${IS_CANCELLABLE} AS "isCancellable"
    FROM (
      ${submissionWalk(filter, String(STEP))}
    ) AS s
   ORDER BY s.id DESC`;

/** In the order of the ids, so that two statements never wait for each other. */
const CANCEL = sql`
  WITH locked AS MATERIALIZED (
    SELECT s.id, ${WAITING} AS messages
      FROM (SELECT * FROM submission WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE) AS s
  )
  UPDATE submission s
     ${SET_CANCELLED}
    FROM locked
   WHERE s.id = locked.id
     AND ${IS_CANCELLABLE}
  RETURNING locked.messages`;

const ADVANCE = sql`
  UPDATE message_cancellation
     SET before_id = COALESCE($2, before_id),
         examined = examined + $3,
         sends = sends + $4,
         cancelled = cancelled + $5,
         status = CASE WHEN $3 < ${STEP} THEN 'DONE' ELSE status END,
         finished_at = CASE WHEN $3 < ${STEP} THEN now() END
   WHERE id = $1`;

/**
 * Advances the running cancellation that is least far by a step. Its messages end when a worker next claims them, as a rule
 * immediately. A step that runs twice cancels nothing twice.
 *
 * @returns 1, or 0 when none is running, or a worker has it
 */
export function advanceCancellations(db: EntityManager): Promise<number> {
  return db.transaction(async (transaction) => {
    const [running]: Running[] = await transaction.query(LOCK);
    if (!running) return 0;
    const filter = readFilter(running.filter);
    const seen: { id: string; isCancellable: boolean }[] = await transaction.query(EXAMINE(filter), [
      running.accountId,
      running.fromId,
      running.beforeId,
      ...matchValues(filter),
    ]);
    const ids = seen.filter(({ isCancellable }) => isCancellable).map(({ id }) => id);
    const ended = await returning<{ messages: number }>(transaction, CANCEL, [ids]);
    const cancelled = ended.reduce((sum, { messages }) => sum + messages, 0);
    const values = [running.id, seen.at(-1)?.id ?? null, seen.length, ended.length, cancelled];
    await transaction.query(ADVANCE, values);
    return 1;
  });
}

function readFilter({ from, to, ...same }: StoredFilter | SubmissionFilter): SubmissionFilter {
  return {
    ...same,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}
