import { sql } from '../core/sql.ts';

/**
 * Returns CTEs that apply the latest change of consent of each writer: STOP adds an opt-out from the number or renews it,
 * START removes one that is older. The last one is left open.
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
  ), locked AS MATERIALIZED (
    -- in the order of their keys, before the two steps that change them
    SELECT
      FROM opt_out o
      JOIN consent
        ON consent.account_id = o.account_id
       AND consent.sender = o.recipient
       AND consent.recipient = o.sender
     ORDER BY o.account_id, o.recipient, o.sender
       FOR UPDATE OF o
  ), stopped AS (
    INSERT INTO opt_out AS o (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at
      FROM consent
     WHERE consent = 'stop'
       AND (SELECT count(*) FROM locked) >= 0
     ORDER BY account_id, sender, recipient
    -- so that a START from before this STOP, which may be processed after it, does not remove the opt-out
    ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
       SET created_at = EXCLUDED.created_at
     WHERE o.created_at < EXCLUDED.created_at
  ), started AS (
    DELETE FROM opt_out o
     USING consent
     WHERE consent.consent = 'start'
       AND (SELECT count(*) FROM locked) >= 0
       AND o.account_id = consent.account_id
       AND o.recipient = consent.sender
       AND o.sender = consent.recipient
       AND o.created_at <= consent.written_at`;
}
