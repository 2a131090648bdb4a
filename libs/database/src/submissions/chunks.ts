import { sql } from '../core/sql.ts';
import {
  ENDED_COLUMNS,
  ENDED_RETURNING,
  ENDED_VALUES,
  ENDING_OF_SUBMISSION,
  endingOf,
  insertEndedEvents,
} from './endings.ts';
import { quietUntil } from './quiet.ts';

/** Fragments that the two statements which fan out SMS share. They need the CTE `quiet`. */

/**
 * True when some message of a chunk of submission `s` may end or be held. Checked once per chunk, so that nearly all
 * skip the checks per recipient.
 */
const NEEDS_CHECKS = sql`
  (s.cancelled_at IS NOT NULL
   OR s.expires_at <= now()
   OR EXISTS (SELECT FROM quiet)
   OR s.lane <> 'OTP'
      AND EXISTS (SELECT FROM opt_out o WHERE o.account_id = s.account_id))`;

/** The RETURNING of an UPDATE of submissions `s` that claims the next chunk of each, in a CTE `chunk`. */
export const CLAIMED_CHUNK = sql`
  s.id, s.account_id, s.lane, s.sender, s.content, s.sealed, s.credits, s.custom, s.expires_at,
  s.fanned_from, s.fanned_upto, s.fanned_out_at,
  s.recipients[s.fanned_from + 1 : s.fanned_upto] AS recipients,
  s.credits_each[s.fanned_from + 1 : s.fanned_upto] AS credits_each,
  ${ENDING_OF_SUBMISSION} AS ending,
  ${NEEDS_CHECKS} AS needs_checks`;

/**
 * Notes the messages that a statement claims, the ranges in `chunks` (id, lane, fanned_from, fanned_upto), as one row
 * of each lane. The rescue reads it when the claim ends, so that no message needs an index entry for that.
 */
export function insertClaimBatch(chunks: string, leaseSeconds: string): string {
  return sql`
    INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
    SELECT lane, now() + make_interval(secs => ${leaseSeconds} + 1),
           sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
      FROM ${chunks}
     WHERE fanned_upto > fanned_from
     GROUP BY lane`;
}

/**
 * CTEs that store the messages of `chunk`: most claimed for `leaseSeconds`, some held by quiet hours and claimed by
 * nobody, some ended, with the events that say so.
 */
export function insertChunks(leaseSeconds: string): string {
  return sql`
    plain AS (
      -- chunks of which no message can end or be held: nearly all. Most have one recipient, which needs no unnest
      INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, claimed_until, due_at)
      SELECT chunk.id, chunk.fanned_from + u.n, chunk.account_id, chunk.lane, u.recipient, 'PENDING',
             COALESCE(u.credits, chunk.credits), now() + make_interval(secs => ${leaseSeconds}),
             NULL::timestamptz -- not the default, which is for the previous version
        FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
       WHERE NOT chunk.needs_checks
         AND cardinality(chunk.recipients) > 1
       UNION ALL
      SELECT chunk.id, chunk.fanned_upto, chunk.account_id, chunk.lane, chunk.recipients[1], 'PENDING',
             COALESCE(chunk.credits_each[1], chunk.credits), now() + make_interval(secs => ${leaseSeconds}),
             NULL::timestamptz
        FROM chunk
       WHERE NOT chunk.needs_checks
         AND cardinality(chunk.recipients) = 1
    ), checked AS (
      -- the other chunks: each recipient is checked for an ending first, then for quiet hours
      INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, starts, claimed_until, held_until,
                           due_at, ${ENDED_COLUMNS})
      SELECT id, n, account_id, lane, recipient, credits,
             CASE WHEN quiet_until IS NULL THEN 1 ELSE 0 END,
             COALESCE(quiet_until, now() + make_interval(secs => ${leaseSeconds})), quiet_until,
             NULL,
             ${ENDED_VALUES}
        FROM (
          SELECT chunk.id, chunk.fanned_from + u.n AS n, chunk.account_id, chunk.lane, u.recipient,
                 COALESCE(u.credits, chunk.credits) AS credits, judged.ending,
                 CASE WHEN judged.ending IS NULL THEN
                   ${quietUntil('u.recipient')}
                 END AS quiet_until
            FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
           CROSS JOIN LATERAL (
             SELECT ${endingOf('chunk', 'chunk.ending', 'u.recipient')} AS ending
             OFFSET 0 -- looked up once, and not again for each column that shows it
           ) AS judged
           WHERE chunk.needs_checks
        ) AS judged_message
      RETURNING ${ENDED_RETURNING}, held_until
    ), batch AS (
      ${insertClaimBatch('chunk', leaseSeconds)}
    ), ended_events AS (
      ${insertEndedEvents('checked')}
    )`;
}

/**
 * The columns of SubmissionChunk. Skipped messages are looked up only when there are any, because that reads the whole
 * batch.
 */
export const FANNED_OUT = sql`
  id, account_id AS "accountId", sender, lane, content, sealed, expires_at AS "expiresAt",
  fanned_from AS "from", recipients, credits, credits_each AS "creditsEach",
  fanned_out_at IS NOT NULL AS complete,
  CASE WHEN custom IS NOT NULL THEN jsonb_path_query_array(
    custom, '$[$from to $upto]', jsonb_build_object('from', fanned_from, 'upto', fanned_upto - 1)
  ) END AS custom,
  CASE WHEN EXISTS (SELECT FROM checked WHERE status = 'FAILED' OR held_until IS NOT NULL) THEN (
    SELECT array_agg(n)
      FROM checked
     WHERE submission_id = chunk.id
       AND (status = 'FAILED' OR held_until IS NOT NULL)
  ) END AS skipped,
  CASE WHEN EXISTS (SELECT FROM ended_events) THEN (
    SELECT array_agg(r.id)
      FROM ended_events r
     WHERE r.submission_id = chunk.id
  ) END AS "reportIds"`;
