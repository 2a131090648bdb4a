import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import type { Channel } from '../submissions/submissions.ts';

/** A message that a phone of the simulator has received. */
export interface PhoneMessage extends MessageKey {
  recipient: string;
  sender: string;
  channel: Channel;
  /** The text of an SMS; a chat-app message as it is shown, in JSON. */
  sealedText: Buffer;
}

/** One that it still has. */
export type ReceivedMessage = PhoneMessage & { receivedAt: Date };

const KEPT = "interval '1 hour'";
const SWEPT_AT_ONCE = 10_000;

/** Keeps what phones received; a message that is there already stays as it is. */
export async function insertPhoneMessages(
  db: EntityManager,
  messages: Omit<PhoneMessage, 'channel'>[],
): Promise<void> {
  await db.query(
    `INSERT INTO phone_message (submission_id, n, account_id, recipient, sender, channel, sealed_text)
     SELECT m.submission_id, m.n, s.account_id, m.recipient, m.sender, s.channel, m.sealed_text
       FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::bytea[]) AS m(submission_id, n, recipient, sender, sealed_text)
       JOIN submission s ON s.id = m.submission_id
     ON CONFLICT ON CONSTRAINT phone_message_pkey DO NOTHING`,
    [
      messages.map((m) => m.submissionId),
      messages.map((m) => m.n),
      messages.map((m) => m.recipient),
      messages.map((m) => m.sender),
      messages.map((m) => m.sealedText),
    ],
  );
}

/** What a phone received from an account in the last hour, newest first, from just before the message `before`. */
export function listPhoneMessages(
  db: EntityManager,
  accountId: string,
  recipient: string,
  limit: number,
  before: MessageKey | undefined,
): Promise<ReceivedMessage[]> {
  return db.query(
    `SELECT submission_id AS "submissionId", n, recipient, sender, channel, sealed_text AS "sealedText", received_at AS "receivedAt" FROM phone_message
      WHERE account_id = $1 AND recipient = $2 AND received_at > now() - ${KEPT} AND ($4::uuid IS NULL OR (submission_id, n) < ($4, $5::integer))
      ORDER BY submission_id DESC, n DESC LIMIT $3`,
    [accountId, recipient, limit, before?.submissionId ?? null, before?.n ?? null],
  );
}

/** Forgets what is older than an hour, a bounded number at a time. */
export async function sweepPhoneMessages(db: EntityManager): Promise<void> {
  await db.query(
    `DELETE FROM phone_message WHERE (submission_id, n) IN (
       SELECT submission_id, n FROM phone_message WHERE received_at < now() - ${KEPT} ORDER BY received_at LIMIT ${SWEPT_AT_ONCE})`,
  );
}
