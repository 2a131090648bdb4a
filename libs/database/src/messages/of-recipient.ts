/**
 * Day of UTC on which a message was accepted, by its id. The index `message_of_recipient_day` has it before the recipient,
 * so that new messages go to one small part of the index, however many there are: with the recipient first, each would
 * change another page anywhere in it. A search for a recipient skips from day to day.
 */
const DAY = `((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date)`;

/**
 * Order of the messages of one account to one recipient, newest first, as their index has them. The day follows from
 * the id and changes nothing, but without it Postgres would sort all messages of the recipient.
 */
export const NEWEST_OF_RECIPIENT = `${DAY} DESC, submission_id DESC, n DESC`;

/**
 * The recipient of a submission with one; empty for those with several. The index `submission_waiting_recipient` has it for
 * submissions that wait.
 */
export const ONLY_RECIPIENT = `(CASE WHEN cardinality(recipients) = 1 THEN recipients[1] ELSE '' END COLLATE "C")`;
