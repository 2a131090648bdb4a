import type { Channel } from '@signalbox/domain/channel';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';

/** A message that a phone of the simulator received. */
export interface PhoneMessage extends MessageKey {
  recipient: string;
  sender: string;
  channel: Channel;
  /** The text of an SMS, or the JSON of a chat-app message as it is shown. */
  sealedText: Buffer;
}

/** A message that a phone still has. */
export type ReceivedMessage = PhoneMessage & { receivedAt: Date };

const KEPT = "interval '1 hour'";
const MESSAGES = rowset('given', {
  submission_id: 'uuid',
  n: 'integer',
  recipient: 'text',
  sender: 'text',
  sealed_text: 'bytea',
});

const INSERT = sql`
  INSERT INTO phone_message (submission_id, n, account_id, recipient, sender, channel, sealed_text)
  SELECT given.submission_id, given.n, s.account_id, given.recipient, given.sender, s.channel, given.sealed_text
    FROM ${MESSAGES.from}
    JOIN submission s ON s.id = given.submission_id
   ORDER BY given.submission_id, given.n
  ON CONFLICT ON CONSTRAINT phone_message_pkey DO NOTHING`;

/** Stores messages that phones received. A message that is stored already stays as it is. */
export async function insertPhoneMessages(
  db: EntityManager,
  messages: Omit<PhoneMessage, 'channel'>[],
): Promise<void> {
  await db.query(INSERT, MESSAGES.values(messages));
}

/**
 * Lists the messages that a phone received from an account in the last hour, newest first, before the message `before`.
 */
export function listPhoneMessages(
  db: EntityManager,
  accountId: string,
  recipient: string,
  limit: number,
  before: MessageKey | undefined,
): Promise<ReceivedMessage[]> {
  return db.query(
    `SELECT submission_id AS "submissionId", n, recipient, sender, channel, sealed_text AS "sealedText",
            received_at AS "receivedAt"
       FROM phone_message
      WHERE account_id = $1
        AND recipient = $2
        AND received_at > now() - ${KEPT}
        AND ($4::uuid IS NULL OR (submission_id, n) < ($4, $5::integer))
      ORDER BY submission_id DESC, n DESC
      LIMIT $3`,
    [accountId, recipient, limit, before?.submissionId ?? null, before?.n ?? null],
  );
}

/** A phone that received messages lately. */
export interface RecentPhone {
  recipient: string;
  lastReceivedAt: Date;
}

const RECENT_MESSAGES = 2_000;
const RECENT_PHONES = 50;

/**
 * Lists the phones that an account wrote to last, at most 50, the newest first. It looks at the last 2,000 messages of
 * all accounts, so that its cost does not grow with them.
 */
export function listRecentPhones(db: EntityManager, accountId: string): Promise<RecentPhone[]> {
  return db.query(
    `SELECT recipient, max(received_at) AS "lastReceivedAt"
       FROM (
         SELECT account_id, recipient, received_at
           FROM phone_message
          WHERE received_at > now() - ${KEPT}
          ORDER BY received_at DESC
          LIMIT ${RECENT_MESSAGES}
       ) AS recent
      WHERE account_id = $1
      GROUP BY recipient
      ORDER BY max(received_at) DESC, recipient
      LIMIT ${RECENT_PHONES}`,
    [accountId],
  );
}

/** Deletes messages that are older than an hour, a bounded number per call; returns their number. */
export const sweepPhoneMessages = sweepOf({
  table: 'phone_message',
  key: 'submission_id, n',
  where: `WHERE received_at < now() - ${KEPT}`,
  orderBy: 'received_at',
});
