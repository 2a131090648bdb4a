import type { EntityManager } from 'typeorm';
import type { Channel } from '@signalbox/domain/channel';
import type { SessionWindow } from './senders.ts';

/** The submissions whose senders count as used lately, and the senders listed of each channel. */
const LATEST = 500;
const MAX_LISTED = 1_000;

/** A sender that an account may send from. */
export interface OwnSender {
  channel: Channel;
  sender: string;
  /** The chat account of a number of the chat app; null for an SMS sender. */
  chatAccountId: number | null;
  chatAccountName: string | null;
  sessionWindow: SessionWindow | null;
  /** The latest SMS among the 500 latest sends; null for a number of the chat app. */
  lastUsedAt: Date | null;
}

/** Lists the numbers of an account's chat accounts, and the senders of its latest SMS, the latest first. */
export function listOwnSenders(db: EntityManager, accountId: string): Promise<OwnSender[]> {
  return db.query(
    `(SELECT 'chatapp' AS channel, cs.msisdn AS sender, ca.id::float8 AS "chatAccountId",
             ca.name AS "chatAccountName", ca.session_window AS "sessionWindow", NULL::timestamptz AS "lastUsedAt"
        FROM chat_account ca
        JOIN chat_sender cs ON cs.chat_account_id = ca.id
       WHERE ca.account_id = $1
         AND ca.deleted_at IS NULL
       ORDER BY cs.msisdn
       LIMIT ${MAX_LISTED})
      UNION ALL
     (SELECT 'sms', latest.sender, NULL, NULL, NULL, max(latest.accepted_at)
        FROM (
          SELECT s.channel, s.sender, s.accepted_at
            FROM submission s
           WHERE s.account_id = $1
           ORDER BY s.account_id DESC, s.id DESC
           LIMIT ${LATEST}
        ) AS latest
       WHERE latest.channel = 'sms'
       GROUP BY latest.sender
       ORDER BY max(latest.accepted_at) DESC)`,
    [accountId],
  );
}
