import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** The two parties of a conversation: our number, and the number or user id of the recipient. */
export interface Conversation {
  sender: string;
  recipient: string;
}

/** Finds the gateway's id of a message that a recipient wrote; undefined when it is of another conversation. */
export async function findInboundGatewayId(
  db: EntityManager,
  accountId: string,
  { sender, recipient }: Conversation,
  id: string,
): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(
    `SELECT gateway_message_id AS id
       FROM inbound_message
      WHERE id = $1
        AND account_id = $2
        AND recipient = $3
        AND $4 IN (sender, user_id)`,
    [id, accountId, sender, recipient],
  );
  return row?.id;
}

const SENT = sql`
  SELECT COALESCE(
           m.gateway_message_id,
           -- a simulator gives no ids, and knows a message by ours
           CASE
             WHEN m.sent_at IS NOT NULL
              AND m.unconfirmed_at IS NULL
              AND (
                m.gateway = 'chat-simulator'
                OR EXISTS (SELECT FROM gateway g WHERE g.name = m.gateway AND g.kind = 'simulator')
              )
             THEN m.submission_id || ':' || m.n
           END
         ) AS id
    FROM message m
    JOIN submission s ON s.id = m.submission_id
   WHERE m.submission_id = $1
     AND m.n = $2
     AND m.account_id = $3
     AND s.sender = $4
     AND m.recipient = $5`;

/** Finds the gateway's id of a message of ours; undefined when it is of another conversation, or was not submitted. */
export async function findSentGatewayId(
  db: EntityManager,
  accountId: string,
  { sender, recipient }: Conversation,
  { submissionId, n }: MessageKey,
): Promise<string | undefined> {
  const [row]: { id: string | null }[] = await db.query(SENT, [
    submissionId,
    n,
    accountId,
    sender,
    recipient,
  ]);
  return row?.id ?? undefined;
}
