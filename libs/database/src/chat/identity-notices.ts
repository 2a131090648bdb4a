import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** Identity of a recipient as a provider shows it. */
export interface IdentityNotice {
  /** The business number; its account learns the identity. */
  sender: string;
  number?: string;
  userId?: string;
  /** An identity that these replace. */
  previous?: string;
}

const NOTICES = rowset('given', {
  sender: 'text',
  number: ['text', (notice: IdentityNotice) => notice.number],
  user_id: ['text', (notice: IdentityNotice) => notice.userId],
  previous: ['text', (notice: IdentityNotice) => notice.previous],
});

/** A pair that is known is written once a day, for retention, and not locked otherwise: each status names one. */
const APPLY = sql`
  WITH notice AS MATERIALIZED (
    SELECT DISTINCT owner.account_id, given.number, given.user_id, given.previous
      FROM ${NOTICES.from}
      JOIN chat_sender owner ON owner.msisdn = given.sender
  ), known AS (
    INSERT INTO chat_user AS cu (account_id, user_id, msisdn)
    SELECT DISTINCT ON (account_id, user_id) account_id, user_id, number
      FROM notice
     WHERE number IS NOT NULL
       AND user_id IS NOT NULL
       AND NOT EXISTS (
             SELECT FROM chat_user fresh
              WHERE fresh.account_id = notice.account_id
                AND fresh.user_id = notice.user_id
                AND fresh.msisdn = notice.number
                AND fresh.seen_at >= now() - interval '1 day'
           )
     ORDER BY account_id, user_id
    ON CONFLICT ON CONSTRAINT chat_user_pkey DO UPDATE
       SET msisdn = EXCLUDED.msisdn, seen_at = now()
    RETURNING account_id, user_id, msisdn
  ), same AS (
    SELECT account_id, msisdn AS recipient, user_id AS also
      FROM known
     UNION
    SELECT account_id, user_id, msisdn
      FROM known
     UNION
    SELECT known.account_id, cu.user_id, known.user_id
      FROM known
      JOIN chat_user cu
        ON cu.account_id = known.account_id
       AND cu.msisdn = known.msisdn
     UNION
    SELECT account_id, previous, unnest(ARRAY[number, user_id])
      FROM notice
     WHERE previous IS NOT NULL
  )
  INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
  SELECT DISTINCT ON (same.account_id, same.also, o.sender)
         same.account_id, same.also, o.sender, uuidv7(), o.source, o.reason, o.created_at
    FROM same
    JOIN opt_out o
      ON o.account_id = same.account_id
     AND o.recipient = same.recipient
   WHERE same.also <> same.recipient
   ORDER BY same.account_id, same.also, o.sender, o.created_at DESC
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING`;

/**
 * Stores which number and user id belong to one recipient, and which identity replaces another. An opt-out of one
 * identity holds for the other, and an opt-out of the replaced one for those that replace it. A repeat changes nothing.
 * Notices about numbers that no account owns are skipped.
 */
export async function applyIdentityNotices(db: EntityManager, notices: IdentityNotice[]): Promise<void> {
  if (notices.length > 0) await db.query(APPLY, NOTICES.values(notices));
}
