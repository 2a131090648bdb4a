import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { COUNTED_MESSAGES, PROGRESS_COLUMNS, type SubmissionProgress } from './progress.ts';
import {
  SUBMISSION_MATCHES,
  type SubmissionFilter,
  idRange,
  matchValues,
  submissionWalk,
  walkOrder,
} from './submission-walk.ts';

/** Maximum number of submissions that a page reads to find those that match. */
const EXAMINED = 1_000;

/** A page ends with the submission that brings its messages to this number: each is counted by reading them. */
const MAX_MESSAGES = 50_000;

const pageOf = (filter: SubmissionFilter): string => sql`
  WITH candidate AS MATERIALIZED (
    ${submissionWalk(filter, '$10::integer')}
  ), matching AS MATERIALIZED (
    SELECT s.id, cardinality(s.recipients) AS messages
      FROM candidate s
     WHERE ${SUBMISSION_MATCHES}
     ORDER BY ${walkOrder(filter)}
     LIMIT $11::integer
  ), page AS (
    SELECT id
      FROM (SELECT id, sum(messages) OVER (ORDER BY id DESC) - messages AS newer FROM matching) AS counted
     WHERE newer < ${MAX_MESSAGES}
  ), edge AS (
    -- where the next page begins: after this one, or after the last candidate
    SELECT CASE
             WHEN (SELECT count(*) FROM page) < (SELECT count(*) FROM matching)
               OR (SELECT count(*) FROM matching) = $11
             THEN 'page'
             WHEN (SELECT count(*) FROM candidate) = $10 THEN (SELECT min(id::text) FROM candidate)
           END AS edge
  )
  SELECT ${PROGRESS_COLUMNS}, edge.edge
    FROM edge
    LEFT JOIN (
      page
      JOIN submission s ON s.id = page.id
      ${COUNTED_MESSAGES}
    ) ON true
   ORDER BY s.id DESC`;

type Row = (SubmissionProgress | Record<keyof SubmissionProgress, null>) & { edge: string | null };

const isSend = (row: Row): row is SubmissionProgress & Row => row.id !== null;

/**
 * Lists a page of an account's submissions with their progress, newest first, before the id `before`. It examines a
 * bounded number of submissions and messages; a page that is not full may have a next one.
 *
 * @returns `next` is the `before` of the next page; null at the end
 */
export async function listSends(
  db: EntityManager,
  accountId: string,
  filter: SubmissionFilter,
  limit: number,
  before?: string,
): Promise<{ sends: SubmissionProgress[]; next: string | null }> {
  const [lowest, highest] = idRange(filter);
  const rows: Row[] = await db.query(pageOf(filter), [
    accountId,
    lowest,
    before !== undefined && before < highest ? before : highest,
    ...matchValues(filter),
    EXAMINED,
    limit,
  ]);
  const sends = rows.filter(isSend).map(({ edge: _, ...send }) => send);
  const edge = rows[0]?.edge ?? null;
  return { sends, next: edge === 'page' ? sends.at(-1)!.id : edge };
}
