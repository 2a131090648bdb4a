import {
  ENDED_COLUMNS,
  ENDED_RETURNING,
  ENDED_VALUES,
  ENDING_OF_SUBMISSION,
  endingOf,
  reportEndings,
} from './endings.ts';
import { quietUntil } from './quiet.ts';

/** The parts that statements which fan submissions out have in common. They need the CTE `quiet`. */

/** What an UPDATE of a submission `s` that takes its next chunk, in a CTE `taken`, returns. */
export const TAKEN_CHUNK = `
  s.id, s.account_id, s.lane, s.sender, s.content, s.sealed, s.credits, s.fanned_from, s.fanned_upto, s.fanned_out_at, s.custom,
  s.recipients[s.fanned_from + 1 : s.fanned_upto] AS recipients, s.credits_each[s.fanned_from + 1 : s.fanned_upto] AS credits_each,
  ${ENDING_OF_SUBMISSION} AS ending`;

/** Whether some recipient of a taken chunk may have to be set aside. Asked once per chunk: nearly all are spared a look at each recipient. */
const NEEDS_A_LOOK = `
  (taken.ending IS NOT NULL OR EXISTS (SELECT FROM quiet)
   OR taken.lane <> 'OTP' AND EXISTS (SELECT FROM opt_out o WHERE o.account_id = taken.account_id))`;

/**
 * CTEs that store the messages of `taken`: claimed for a parameter of seconds, held by quiet hours and claimed by nobody, or ended, with
 * the reports of the latter.
 */
export function insertChunks(leaseSeconds: string): string {
  return `
  plain AS (
    INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
    SELECT taken.id, taken.fanned_from + r.n, taken.account_id, r.recipient, 'PENDING', COALESCE(r.credits, taken.credits),
           now() + make_interval(secs => ${leaseSeconds})
      FROM taken, unnest(taken.recipients, taken.credits_each) WITH ORDINALITY AS r(recipient, credits, n)
     WHERE NOT ${NEEDS_A_LOOK}
  ), inserted AS (
    INSERT INTO message (submission_id, n, account_id, recipient, credits, starts, claimed_until, held_until, ${ENDED_COLUMNS})
    SELECT id, n, account_id, recipient, credits, CASE WHEN quiet_until IS NULL THEN 1 ELSE 0 END,
           COALESCE(quiet_until, now() + make_interval(secs => ${leaseSeconds})), quiet_until, ${ENDED_VALUES}
      FROM (SELECT taken.id, taken.fanned_from + r.n AS n, taken.account_id, r.recipient, COALESCE(r.credits, taken.credits) AS credits, e.ending,
                   CASE WHEN e.ending IS NULL THEN ${quietUntil('r.recipient')} END AS quiet_until
              FROM taken, unnest(taken.recipients, taken.credits_each) WITH ORDINALITY AS r(recipient, credits, n)
             CROSS JOIN LATERAL (SELECT ${endingOf('taken', 'taken.ending', 'r.recipient')} AS ending) AS e
             WHERE ${NEEDS_A_LOOK}) AS one
    RETURNING ${ENDED_RETURNING}, held_until
  ), findable AS (
    INSERT INTO message_recipient (account_id, recipient, submission_id, n)
    SELECT taken.account_id, r.recipient, taken.id, taken.fanned_from + r.n
      FROM taken, unnest(taken.recipients) WITH ORDINALITY AS r(recipient, n)
  ), reported AS (${reportEndings('inserted')})`;
}

/** Columns of FannedOut. What was set aside is looked for only when there is any: each look reads all of the batch. */
export const FANNED_OUT = `
  id, account_id AS "accountId", sender, content, sealed, fanned_from AS "from", recipients, fanned_out_at IS NOT NULL AS complete,
  jsonb_path_query_array(custom, '$[$from to $upto]', jsonb_build_object('from', fanned_from, 'upto', fanned_upto - 1)) AS custom,
  CASE WHEN EXISTS (SELECT FROM inserted WHERE status = 'FAILED' OR held_until IS NOT NULL)
       THEN (SELECT array_agg(n) FROM inserted WHERE submission_id = taken.id AND (status = 'FAILED' OR held_until IS NOT NULL)) END AS skipped,
  CASE WHEN EXISTS (SELECT FROM reported) THEN (SELECT array_agg(r.id) FROM reported r WHERE r.submission_id = taken.id) END AS "reportIds"`;
