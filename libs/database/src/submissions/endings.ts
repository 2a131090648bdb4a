import { ENDINGS, type Ending, NO_GATEWAY } from '@signalbox/domain/ending';

/**
 * How messages end before any gateway has them, in the statements that claim messages. There is one way for all reasons: the message is
 * stored as failed together with the report that says so, which then goes the way of every report to its webhooks.
 */

const said = (what: 'errCode' | 'description'): string =>
  `CASE ending ${Object.entries(ENDINGS)
    .map(([ending, report]) => `WHEN '${ending}' THEN '${report[what]}'`)
    .join(' ')} END`;

/** Why all that is left of a submission `s` ends now; null when it goes on. */
export const ENDING_OF_SUBMISSION = `
  CASE WHEN s.cancelled_at IS NOT NULL THEN '${'cancelled' satisfies Ending}' WHEN s.expires_at <= now() THEN '${'expired' satisfies Ending}' END`;

/** Whether a recipient has opted out of what the submission in an alias sends: of all its account's senders, or of this one. Codes are exempt. */
export function isOptedOut(submission: string, recipient: string): string {
  return `(${submission}.lane NOT IN ('OTP', 'CHAT_OTP') AND EXISTS (
    SELECT FROM opt_out o WHERE o.account_id = ${submission}.account_id AND o.recipient = ${recipient} AND o.sender IN ('', ${submission}.sender)))`;
}

/** Why a message to a recipient of a submission ends now; null when it goes on. */
export function endingOf(submission: string, endingOfSubmission: string, recipient: string): string {
  return `COALESCE(${endingOfSubmission}, CASE WHEN ${isOptedOut(submission, recipient)} THEN '${'opted_out' satisfies Ending}' END)`;
}

/** The columns of a message that tell how it ended, and their values for a row that has a column `ending`. */
export const ENDED_COLUMNS = 'status, err_code, status_description, failed_at, moved_by';
export const ENDED_VALUES = `
  CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END, ${said('errCode')}, ${said('description')},
  CASE WHEN ending IS NOT NULL THEN now() END, CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END`;

/** What a statement that writes those columns returns, for `reportEndings`. */
export const ENDED_RETURNING = 'submission_id, n, status, err_code, status_description, moved_by';

/** Stores the reports of the messages in `messages` (a CTE of ENDED_RETURNING) that ended; the statement must be read for its ids. */
export function reportEndings(messages: string): string {
  return `
    INSERT INTO delivery_report (id, gateway, submission_id, n, status, err_code, description, reported_at)
    SELECT moved_by[cardinality(moved_by)], '${NO_GATEWAY}', submission_id, n, 'FAILED', err_code, status_description, now()
      FROM ${messages} WHERE status = 'FAILED'
    RETURNING id, submission_id`;
}
