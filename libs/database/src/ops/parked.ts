import { MIN_UUID } from '@signalbox/domain/id-time';
import type { Ending } from '@signalbox/domain/ending';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';
import { MAX_THROTTLES } from '../messages/submits.ts';
import { ENDED_COLUMNS, ENDED_VALUES, insertEndedEvents } from '../submissions/endings.ts';
import { IS_PARKED, MAY_BE_PARKED, type ParkedTable } from './starts.ts';

export const PARKED_KINDS = [
  'message',
  'submission',
  'report',
  'template',
  'callback',
  'verification',
] as const;
export type ParkedKind = (typeof PARKED_KINDS)[number];

/** A row that was started too often, or a submission that cannot be fanned out: it waits for an operator. */
export interface ParkedRow {
  /** Its id; that of the submission for a message. */
  id: string;
  /** The position of a message within its submission, also of the one that a report is about; null for others. */
  n: number | null;
  /** The submission of a report's message; null for other kinds. */
  submissionId: string | null;
  /** Null for a callback, and for a report that matches no message. */
  accountId: string | null;
  gateway: string | null;
  starts: number;
  /** When the row was created, or last claimed in the case of a message. */
  since: Date;
  /** The error of its last start; null when none was noted. */
  problem: string | null;
}

/** Maximum number of matching rows of a kind that are read. */
const READ_LIMIT = 10_000;

/** Maximum number of rows that one statement frees or discards. */
const BATCH = 1_000;

const TABLE: Record<ParkedKind, ParkedTable> = {
  message: 'message',
  submission: 'submission',
  report: 'message_event',
  template: 'template',
  callback: 'callback',
  verification: 'verification',
};

/** The columns of a parked row: id, n, submission_id, account_id, gateway, starts, since. */
const columns = (id: string, about: string, origin: string, since: string, starts = 'starts'): string => sql`
  ${id}, ${about},
  ${origin},
  ${starts}, ${since} AS since`;

const NO_MESSAGE = 'NULL::integer AS n, NULL::uuid AS submission_id';
const OF_REPORT =
  '(SELECT s.account_id FROM submission s WHERE s.id = message_event.submission_id) AS account_id';

const COLUMNS: Record<ParkedKind, string> = {
  message: columns(
    'submission_id AS id',
    'n, NULL::uuid AS submission_id',
    'account_id, gateway',
    'claimed_until',
  ),
  submission: columns('id', NO_MESSAGE, 'account_id, NULL AS gateway', 'accepted_at', '1 AS starts'),
  report: columns('id', 'n, submission_id', `${OF_REPORT}, gateway`, 'received_at'),
  template: columns('id', NO_MESSAGE, 'account_id, NULL AS gateway', 'submitted_at'),
  callback: columns('id', NO_MESSAGE, 'NULL::uuid AS account_id, gateway', 'received_at'),
  verification: columns('id', NO_MESSAGE, 'account_id, NULL AS gateway', 'created_at'),
};

const list = (kind: ParkedKind): string => sql`
  SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
         (SELECT f.error FROM row_failure f WHERE f.kind = '${kind}' AND f.id = p.id) AS problem
    FROM (
      SELECT id, n, submission_id, account_id, gateway, starts, since
        FROM (
          SELECT ${COLUMNS[kind]}
            FROM ${MAY_BE_PARKED[TABLE[kind]]}
           WHERE ${IS_PARKED[TABLE[kind]]}
        ) AS parked
       WHERE ($3::uuid IS NULL OR account_id = $3)
         AND ($4::text IS NULL OR gateway = $4)
       LIMIT ${READ_LIMIT}
    ) AS p
   WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
   ORDER BY p.id, COALESCE(p.n, 0)
   LIMIT $5`;

const LISTS = byKind(list);

/** Rows to look for; null for any. */
export interface ParkedFilter {
  accountId: string | null;
  gateway: string | null;
}

const FIRST: MessageKey = { submissionId: MIN_UUID, n: 0 };

/**
 * Lists the parked rows of a kind that match a filter, by id, behind `after`. Of more than 10,000 it lists any 10,000:
 * the others follow once some of these are freed or discarded. It ends after 10,000 matches, or when all parked rows
 * are read: in 20 ms or in two seconds with a million of them. Of callbacks and of verifications it lists those among
 * the 10,000 that have waited longest, as `countParked` counts them.
 */
export function listParked(
  db: EntityManager,
  kind: ParkedKind,
  { accountId, gateway }: ParkedFilter,
  limit: number,
  after = FIRST,
): Promise<ParkedRow[]> {
  return db.query(LISTS[kind], [after.submissionId, after.n, accountId, gateway, limit]);
}

/** A parked row by its id; `n` is 0 except for a message. */
export interface ParkedKey {
  id: string;
  n: number;
}

const KEYS = rowset('wanted', { id: 'uuid', n: 'integer' });

/** The columns of the key of a kind, and the same of KEYS. */
const keyOf = (kind: ParkedKind): [own: string, wanted: string] =>
  kind === 'message' ? ['submission_id, n', 'id, n'] : ['id', 'id'];

/**
 * Locks the wanted rows that are parked, in the order of their key, so that two statements never wait for each other.
 */
const locked = (kind: ParkedKind): string => {
  const [own, wanted] = keyOf(kind);
  return sql`
    locked AS MATERIALIZED (
      SELECT ${own}
        FROM ${TABLE[kind]}
       WHERE (${own}) IN (SELECT ${wanted} FROM ${KEYS.from})
         AND ${IS_PARKED[TABLE[kind]]}
       ORDER BY ${own}
         FOR UPDATE
    )`;
};

/** Sets that make a row due immediately, as if it had never failed. The attempts of a message continue. */
const FREED: Record<ParkedKind, string> = {
  message: sql`
    throttles = LEAST(throttles + starts, ${MAX_THROTTLES}),
    starts = 0, due_at = now(), claimed_until = now()`,
  submission: 'due_at = now()',
  report: 'starts = 0, due_at = now()',
  template: 'starts = 0',
  callback: 'starts = 0',
  verification: 'starts = 0',
};

const change = (kind: ParkedKind, sets: string): string => sql`
  UPDATE ${TABLE[kind]}
     SET ${sets}
   WHERE (${keyOf(kind)[0]}) IN (SELECT ${keyOf(kind)[0]} FROM locked)
  RETURNING ${kind === 'message' ? 'submission_id AS id, n' : 'id, 0 AS n'}`;

const FREE = byKind(
  (kind) => sql`
    WITH ${locked(kind)}
    ${change(kind, FREED[kind])}`,
);

/** Ends messages as a cancelled send ends: with a report, which is pushed. */
const DISCARD_MESSAGES = sql`
  WITH ${locked('message')}, ended AS (
    UPDATE message m
       SET (${ENDED_COLUMNS}) = (
             SELECT ${ENDED_VALUES}
               FROM (SELECT '${'cancelled' satisfies Ending}' AS ending) AS given
           ),
           due_at = NULL
     WHERE (submission_id, n) IN (SELECT submission_id, n FROM locked)
    RETURNING m.submission_id, m.n, m.status, m.err_code, m.status_description, m.moved_by
  ), reported AS (
    ${insertEndedEvents('ended')}
  )
  SELECT submission_id AS id, n, moved_by[1] AS "reportId" FROM ended`;

/** Rejects templates. $3 reason, $4 actor. */
const DISCARD_TEMPLATES = sql`
  WITH ${locked('template')}, rejected AS (
    UPDATE template
       SET status = 'REJECTED', rejection_reason = $3, updated_at = now()
     WHERE id IN (SELECT id FROM locked)
    RETURNING id, account_id, version
  ), noted AS (
    INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
    SELECT uuidv7(), id, account_id, version, 'rejected', $4, $3, now()
      FROM rejected
  )
  SELECT id, 0 AS n, NULL::uuid AS "reportId" FROM rejected`;

const end = (kind: ParkedKind, sets: string): string => sql`
  WITH ${locked(kind)}, ended AS (
    ${change(kind, sets)}
  )
  SELECT id, n, NULL::uuid AS "reportId" FROM ended`;

/**
 * Cancels submissions, notes that they were discarded, and makes those of their messages due that quiet hours hold, so
 * that a worker ends them. Skips those that a worker has locked: it waits for locked submissions.
 */
const DISCARD_SUBMISSIONS = sql`
  WITH ${locked('submission')}, ended AS (
    ${change(
      'submission',
      'cancelled_at = now(), fanned_out_at = now(), held_until = NULL, waits = false, listed = true, sealed = NULL',
    )}
  ), noted AS (
    INSERT INTO discarded_send (submission_id, account_id)
    SELECT id, account_id
      FROM submission
     WHERE id IN (SELECT id FROM ended)
     ORDER BY id
  ), woken AS (
    UPDATE message m
       SET held_until = NULL, claimed_until = now(), due_at = now()
      FROM (
        SELECT submission_id, n
          FROM message
         WHERE submission_id IN (SELECT id FROM locked)
           AND ${guard("status = 'PENDING' AND held_until IS NOT NULL")}
         ORDER BY submission_id, n
           FOR UPDATE SKIP LOCKED
      ) AS held
     WHERE m.submission_id = held.submission_id
       AND m.n = held.n
  )
  SELECT id, n, NULL::uuid AS "reportId" FROM ended`;

const DISCARD: Record<ParkedKind, { statement: string; takesReason: 'both' | 'reason' | 'none' }> = {
  message: { statement: DISCARD_MESSAGES, takesReason: 'none' },
  submission: { statement: DISCARD_SUBMISSIONS, takesReason: 'none' },
  report: { statement: end('report', 'settled_at = now(), due_at = NULL'), takesReason: 'none' },
  template: { statement: DISCARD_TEMPLATES, takesReason: 'both' },
  callback: { statement: end('callback', 'processed_at = now(), problem = $3'), takesReason: 'reason' },
  verification: { statement: end('verification', `status = 'EXPIRED'`), takesReason: 'none' },
};

/**
 * Frees parked rows of a kind: they are due now, and a rescue enqueues them within seconds.
 *
 * @param keys at most 1,000
 * @returns those that were parked
 */
export function freeParked(
  db: EntityManager,
  kind: ParkedKind,
  keys: readonly ParkedKey[],
): Promise<ParkedKey[]> {
  return returning(db, FREE[kind], KEYS.values(keys.slice(0, BATCH)));
}

/** A row that was ended. */
export interface DiscardedRow extends ParkedKey {
  /** The report of a message, to be enqueued; null for other kinds. */
  reportId: string | null;
}

/**
 * Ends parked rows of a kind permanently: a message fails as a cancelled one does, a submission makes no further
 * messages and those that quiet hours hold fail, a report and a callback are not applied, a template is rejected, a
 * verification expires.
 *
 * @param keys at most 1,000
 * @returns those that were parked
 */
export function discardParked(
  db: EntityManager,
  kind: ParkedKind,
  keys: readonly ParkedKey[],
  { reason, actor }: { reason: string; actor: string },
): Promise<DiscardedRow[]> {
  const { statement, takesReason } = DISCARD[kind];
  const more = { both: [reason, actor], reason: [reason], none: [] }[takesReason];
  return db.query(statement, [...KEYS.values(keys.slice(0, BATCH)), ...more]);
}

function byKind(statement: (kind: ParkedKind) => string): Record<ParkedKind, string> {
  const entries = PARKED_KINDS.map((kind) => [kind, statement(kind)]);
  return Object.fromEntries(entries) as Record<ParkedKind, string>;
}
