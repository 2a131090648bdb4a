import type { ChatContent } from '@signalbox/domain/chat/message';
import type { Lane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { SmsContent } from '../submissions/submissions.ts';

/** The stored content of a message, and what its gateway called it. */
export type StoredContent = MessageKey &
  ({ channel: 'sms'; content: SmsContent } | { channel: 'chatapp'; content: ChatContent }) & {
    lane: Lane;
    /** The values of this recipient; null when the text has none. */
    values: string[] | null;
    /** Number of messages of its submission. */
    total: number;
    gatewayMessageId: string | null;
  };

const WANTED = rowset('wanted', { submission_id: 'uuid', n: 'integer' });

const LIST = sql`
  SELECT s.id AS "submissionId", wanted.n, s.channel, s.lane, s.content, s.custom -> (wanted.n - 1) AS values,
         cardinality(s.recipients) AS total, m.gateway_message_id AS "gatewayMessageId"
    FROM ${WANTED.from}
    JOIN submission s ON s.id = wanted.submission_id
    LEFT JOIN message m ON m.submission_id = s.id AND m.n = wanted.n
   WHERE s.account_id = $3
     AND wanted.n <= cardinality(s.recipients)`;

/**
 * Lists the contents of messages of an account, in no order; those of messages that it does not have are absent. A
 * sealed text or code is not part of them.
 */
export function listContents(
  db: EntityManager,
  accountId: string,
  keys: readonly MessageKey[],
): Promise<StoredContent[]> {
  return db.query(LIST, [...WANTED.values(keys), accountId]);
}
