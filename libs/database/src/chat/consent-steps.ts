import { sql } from '../core/sql.ts';

/**
 * Returns CTEs that apply the latest change of consent of each writer: STOP adds an opt-out from the number, START
 * removes one that is older. The last one is left open.
 *
 * @param writers a CTE with the id, account_id, sender, recipient and written_at of stored messages; `given` has
 * their consents
 */
export function consentSteps(writers: string): string {
  return sql`
  consent AS MATERIALIZED (
    -- the latest of each writer and number
    SELECT DISTINCT ON (${writers}.account_id, ${writers}.sender, ${writers}.recipient) ${writers}.*, given.consent
      FROM given
      JOIN ${writers} ON ${writers}.id = given.id
     WHERE given.consent IS NOT NULL
     ORDER BY ${writers}.account_id, ${writers}.sender, ${writers}.recipient, ${writers}.written_at DESC
  ), stopped AS (
    INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at
      FROM consent
     WHERE consent = 'stop'
     ORDER BY account_id, sender, recipient
    ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
  ), started AS (
    DELETE FROM opt_out o
     USING consent
     WHERE consent.consent = 'start'
       AND o.account_id = consent.account_id
       AND o.recipient = consent.sender
       AND o.sender = consent.recipient
       AND o.created_at <= consent.written_at`;
}
