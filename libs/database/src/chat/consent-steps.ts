import { sql } from '../core/sql.ts';

/** The reason of the opt-outs of a source, and which opt-outs `o` a START of that source removes. */
const SOURCES = {
  inbound: { reason: 'NULL', isRemoved: 'o.created_at <= consent.at' },
  gateway: {
    reason: `'refuses marketing messages'`,
    isRemoved: sql`
      o.source = 'gateway'
      AND o.created_at <= consent.at`,
  },
};

/**
 * Returns CTEs that apply the changes of the CTE `consent` (account_id, recipient, sender, consent, at), one for each
 * recipient and number: STOP adds an opt-out from the number or renews it, START removes one that is older. The last one
 * is left open.
 */
export function consentSteps(source: keyof typeof SOURCES): string {
  const { reason, isRemoved } = SOURCES[source];
  return sql`
  locked AS MATERIALIZED (
    -- in the order of their keys, before the two steps that change them
    SELECT
      FROM opt_out o
      JOIN consent
        ON consent.account_id = o.account_id
       AND consent.recipient = o.recipient
       AND consent.sender = o.sender
     ORDER BY o.account_id, o.recipient, o.sender
       FOR UPDATE OF o
  ), stopped AS (
    INSERT INTO opt_out AS o (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, recipient, sender, uuidv7(), '${source}', ${reason}, at
      FROM consent
     WHERE consent = 'stop'
       AND (SELECT count(*) FROM locked) >= 0
     ORDER BY account_id, recipient, sender
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
       AND o.recipient = consent.recipient
       AND o.sender = consent.sender
       AND ${isRemoved}`;
}

/**
 * Returns the CTE `consent` of stored messages, with the latest change of each writer, and the steps that apply it.
 *
 * @param writers a CTE with the id, account_id, sender, recipient and written_at of stored messages; `given` has
 * their consents
 */
export function writtenConsents(writers: string): string {
  return sql`
  consent AS MATERIALIZED (
    -- the latest of each writer and number
    SELECT DISTINCT ON (${writers}.account_id, ${writers}.sender, ${writers}.recipient)
           ${writers}.account_id, ${writers}.sender AS recipient, ${writers}.recipient AS sender,
           given.consent, ${writers}.written_at AS at
      FROM given
      JOIN ${writers} ON ${writers}.id = given.id
     WHERE given.consent IS NOT NULL
     ORDER BY ${writers}.account_id, ${writers}.sender, ${writers}.recipient, ${writers}.written_at DESC
  ), ${consentSteps('inbound')}`;
}
