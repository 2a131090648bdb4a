import { sql } from '../core/sql.ts';

/**
 * Returns CTEs that carry out the latest wish of each writer: STOP adds an opt-out from the number, START removes one
 * that is older. The last one is left open.
 *
 * @param writers a CTE with the id, account_id, sender, recipient and written_at of stored messages; `given` has their
 * wishes
 */
export function wishSteps(writers: string): string {
  return sql`
  wish AS MATERIALIZED (
    -- the latest wish of each writer and number
    SELECT DISTINCT ON (${writers}.account_id, ${writers}.sender, ${writers}.recipient) ${writers}.*, given.wish
      FROM given
      JOIN ${writers} ON ${writers}.id = given.id
     WHERE given.wish IS NOT NULL
     ORDER BY ${writers}.account_id, ${writers}.sender, ${writers}.recipient, ${writers}.written_at DESC
  ), stopped AS (
    INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at
      FROM wish
     WHERE wish = 'stop'
     ORDER BY account_id, sender, recipient
    ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
  ), started AS (
    DELETE FROM opt_out o
     USING wish
     WHERE wish.wish = 'start'
       AND o.account_id = wish.account_id
       AND o.recipient = wish.sender
       AND o.sender = wish.recipient
       AND o.created_at <= wish.written_at`;
}
