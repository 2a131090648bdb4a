import type { ChatContent } from '@signalbox/domain/chat/message';
import type { AnyLane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import type { SmsContent } from '../submissions/submissions.ts';

/** The stored content of one message, and what its gateway called it. */
export type StoredContent = (
  | { channel: 'sms'; content: SmsContent }
  | { channel: 'chatapp'; content: ChatContent }
) & {
  lane: AnyLane;
  /** The values of this recipient; null when the text has none. */
  values: string[] | null;
  /** Number of messages of its submission. */
  total: number;
  gatewayMessageId: string | null;
};

const FIND = sql`
  SELECT s.channel, s.lane, s.content, s.custom -> ($3::integer - 1) AS values,
         cardinality(s.recipients) AS total, m.gateway_message_id AS "gatewayMessageId"
    FROM submission s
    LEFT JOIN message m ON m.submission_id = s.id AND m.n = $3
   WHERE s.id = $2
     AND s.account_id = $1
     AND $3 <= cardinality(s.recipients)`;

/** Finds the content of one message of an account. A sealed text or code is not part of it. */
export async function findContent(
  db: EntityManager,
  accountId: string,
  { submissionId, n }: MessageKey,
): Promise<StoredContent | undefined> {
  const [row]: StoredContent[] = await db.query(FIND, [accountId, submissionId, n]);
  return row;
}
