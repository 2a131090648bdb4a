import { ENDINGS, type Ending, NO_GATEWAY } from '@signalbox/domain/ending';
import { CODE_LANES } from '@signalbox/domain/lane';
import { ON_DISK } from '../core/on-disk.ts';
import { sql } from '../core/sql.ts';

/** CODE_LANES for an `IN`. */
export const CODE_LANE_NAMES = CODE_LANES.map((lane) => `'${lane}'`).join(', ');

/**
 * Fragments of the statements that claim messages, for messages that end before a gateway has them. Whatever the
 * reason, the message is stored as failed together with an event, which is then pushed like any report.
 */

const valueOf = (field: 'errCode' | 'description'): string => sql`
  CASE ending
    ${Object.entries(ENDINGS)
      .map(([ending, report]) => `WHEN '${ending}' THEN '${report[field]}'`)
      .join('\n')}
  END`;

const CANCELLED = 'cancelled' satisfies Ending;
const EXPIRED = 'expired' satisfies Ending;
const OPTED_OUT = 'opted_out' satisfies Ending;

/** The reason that the remaining messages of a submission `s` end now; null when they proceed. */
export const ENDING_OF_SUBMISSION = sql`
  CASE
    WHEN s.cancelled_at IS NOT NULL THEN '${CANCELLED}'
    WHEN s.expires_at <= now() THEN '${EXPIRED}'
  END`;

/**
 * True when a recipient opted out of the sender of a submission, or of its whole account. One-time passwords are
 * exempt. Every plan must look up the recipient: one made while nothing was known about the table would otherwise read
 * all opt-outs of the account for each recipient. Only the primary key has the order by sender, and the CASE keeps the
 * senders out of the search in it: a second descent for them would make the other index seem cheaper.
 */
export function isOptedOut(submission: string, recipient: string): string {
  return sql`
    (${submission}.lane NOT IN (${CODE_LANE_NAMES}) AND (
      SELECT o.sender
        FROM opt_out o
       WHERE o.account_id = ${submission}.account_id
         AND o.recipient = ${recipient}
         AND CASE WHEN o.sender IN ('', ${submission}.sender) THEN true END
       ORDER BY o.sender
       LIMIT 1
    ) IS NOT NULL)`;
}

/**
 * The reason that the message to a recipient of a submission ends now, the first of several; null when it proceeds.
 *
 * @param others expressions for further reasons
 */
export function endingOf(
  submission: string,
  endingOfSubmission: string,
  recipient: string,
  ...others: string[]
): string {
  const optedOut = sql`
    CASE WHEN
      ${isOptedOut(submission, recipient)}
    THEN '${OPTED_OUT}' END`;
  return sql`
    COALESCE(
      ${[endingOfSubmission, optedOut, ...others].join(',\n')}
    )`;
}

/** The columns of a message that record its ending, and their values for a row that has a column `ending`. */
export const ENDED_COLUMNS = 'status, err_code, status_description, failed_at, moved_by';
export const ENDED_VALUES = sql`
  CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END,
  ${valueOf('errCode')},
  ${valueOf('description')},
  CASE WHEN ending IS NOT NULL THEN now() END,
  CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END`;

/** The RETURNING of a statement that writes those columns, for `insertEndedEvents`. */
export const ENDED_RETURNING = 'submission_id, n, status, err_code, status_description, moved_by';

/**
 * Stores the events of the messages in `messages` (a CTE of ENDED_RETURNING) that ended. Postgres runs it whether or
 * not the main statement reads the ids it returns.
 */
export function insertEndedEvents(messages: string): string {
  return sql`
    INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
    SELECT moved_by[cardinality(moved_by)], '${NO_GATEWAY}', submission_id, n,
           'FAILED', err_code, status_description, now()
      FROM ${messages}
     WHERE status = 'FAILED'
    RETURNING id, submission_id, ${ON_DISK}`;
}
