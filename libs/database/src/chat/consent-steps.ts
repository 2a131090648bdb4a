import { KEEP_LATEST_END, isEnded } from '../accounts/opt-out-ends.ts';
import { sql } from '../core/sql.ts';

/**
 * CTEs that apply the changes of the CTE `change` (account_id, recipient, sender, consent, source, reason, at), which
 * has one for each recipient and number, in the order of these keys: STOP adds an opt-out from the number or renews it,
 * START removes one that is older and is stored as an end, before which a STOP does nothing. So the latest one counts,
 * whichever is processed last. The consent `inherited` adds the opt-out of another identity of the recipient. A START
 * of the source `gateway` counts against opt-outs of that source only. The last CTE is left open.
 */
export const CONSENT_STEPS = sql`
  ended AS (
    INSERT INTO opt_out_end AS e (account_id, recipient, sender, source, ended_at)
    SELECT account_id, recipient, sender, source, at
      FROM change
     WHERE consent = 'start'
    ${KEEP_LATEST_END}
    RETURNING 1
  ), stopped AS (
    -- touches each opt-out in the order of the keys; one that START may remove is only locked
    INSERT INTO opt_out AS o (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, recipient, sender, uuidv7(), source, reason, at
      FROM change
     CROSS JOIN LATERAL (
       SELECT count(*) AS locked
         FROM (
           SELECT
             FROM opt_out o
            WHERE change.consent = 'start'
              AND o.account_id = change.account_id
              AND o.recipient = change.recipient
              AND o.sender = change.sender
              FOR UPDATE
         ) AS present
     ) AS removable
     WHERE (SELECT count(*) FROM ended) >= 0
       AND (
         change.consent = 'inherited'
         OR change.consent = 'stop' AND NOT ${isEnded('change')}
         OR removable.locked < 0
       )
    -- so that a START from before this STOP, which may be processed after it, does not remove the opt-out
    ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
       SET created_at = EXCLUDED.created_at
     WHERE o.created_at < EXCLUDED.created_at
    RETURNING o.id
  ), started AS (
    DELETE FROM opt_out o
     USING change
     WHERE change.consent = 'start'
       AND (SELECT count(*) FROM stopped) >= 0
       AND o.account_id = change.account_id
       AND o.recipient = change.recipient
       AND o.sender = change.sender
       AND o.created_at <= change.at
       AND (o.source = 'gateway' OR change.source <> 'gateway')`;

/**
 * Returns a SELECT of the consents of stored messages, for the CTE `change`: the latest of each writer and number. Of
 * several at one time START counts, as it does when they are stored one by one.
 *
 * @param writers a CTE with the id, account_id, sender, recipient, sent_at and written_at of stored messages; `given` has
 * their consents
 */
export function writtenConsents(writers: string): string {
  return sql`
  SELECT DISTINCT ON (${writers}.account_id, ${writers}.sender, ${writers}.recipient)
         ${writers}.account_id, ${writers}.sender AS recipient, ${writers}.recipient AS sender,
         consents.by_id ->> ${writers}.id::text AS consent, 'inbound' AS source, NULL AS reason,
         ${writers}.written_at AS at
    FROM ${writers}
    -- a join would compare each writer with each message: sessions have no hash joins
    JOIN (
      SELECT jsonb_object_agg(id, consent) AS by_id
        FROM given
       WHERE consent IS NOT NULL
    ) AS consents ON consents.by_id ? ${writers}.id::text
   -- those of a clock that is ahead are all written now
   ORDER BY ${writers}.account_id, ${writers}.sender, ${writers}.recipient, ${writers}.sent_at DESC, consent`;
}
