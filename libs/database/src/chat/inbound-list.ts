import type { Channel } from '@signalbox/domain/channel';
import { MAX_UUID, firstIdAt } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** A stored message that a recipient wrote. */
export interface InboundRow {
  id: string;
  /** Null for an SMS. */
  chatAccountId: number | null;
  gateway: string;
  /** The number of the writer; the user id of a writer without one. */
  from: string;
  /** The provider's id of the writer; null when it has none. */
  userId: string | null;
  /** The business number. */
  to: string;
  kind: string;
  content: Record<string, unknown>;
  /** The id and n of our message that it answers. */
  replyToId: string | null;
  replyToN: number | null;
  sentAt: Date;
  receivedAt: Date;
}

/** A filter of an account's inbound messages: those that match all its fields. */
export interface InboundFilter {
  channel: Channel;
  from?: string | undefined;
  to?: string | undefined;
  chatAccountId?: number | undefined;
  /** Received at this moment or later. */
  receivedFrom?: Date | undefined;
  /** Received before this moment. */
  receivedTo?: Date | undefined;
}

/** Maximum number of messages that a page reads: no index serves the channel and most filters. */
const EXAMINED = 1_000;

/** The columns of InboundRow. */
export const INBOUND_COLUMNS = sql`
  id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
  recipient AS "to", kind, content,
  reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
  sent_at AS "sentAt", received_at AS "receivedAt"`;

/** Finds one inbound message of an account and a channel. */
export async function findInbound(
  db: EntityManager,
  channel: InboundFilter['channel'],
  accountId: string,
  id: string,
): Promise<InboundRow | undefined> {
  const [row]: InboundRow[] = await db.query(
    `SELECT ${INBOUND_COLUMNS}
       FROM inbound_message
      WHERE account_id = $1
        AND id = $2
        AND (chat_account_id IS NULL) = ($3 = 'sms')`,
    [accountId, id, channel],
  );
  return row;
}

/** `edge` is where a page stopped that read as many messages as it may, so that the next page continues there. */
const list = (ofSender: string): string => sql`
  WITH candidate AS MATERIALIZED (
    SELECT *
      FROM inbound_message
     WHERE account_id = $1
       AND ${ofSender}
       AND id < LEAST($3::uuid, $4::uuid)
       AND id >= $5::uuid
     ORDER BY id DESC
     LIMIT $6
  ), page AS (
    SELECT ${INBOUND_COLUMNS}, true AS matches
      FROM candidate
     WHERE ($7::text IS NULL OR recipient = $7)
       AND ($8::bigint IS NULL OR chat_account_id = $8)
       AND (chat_account_id IS NULL) = ($10 = 'sms')
     ORDER BY id DESC
     LIMIT $9
  ), edge AS (
    SELECT ${INBOUND_COLUMNS}, false AS matches
      FROM candidate
     WHERE (SELECT count(*) FROM candidate) = $6
     ORDER BY id
     LIMIT 1
  )
  SELECT * FROM page
   UNION ALL
  SELECT * FROM edge`;

const LIST_OF_ACCOUNT = list('$2::text IS NULL');
const LIST_OF_SENDER = list('sender = $2');

/**
 * Lists a page of an account's inbound messages, newest first, before the id `before`. It reads the messages of the
 * writer, or of the account, at most EXAMINED of them; a page that is not full may have a next one.
 *
 * @returns `next` is the `before` of the next page; null at the end
 */
export async function listInbounds(
  db: EntityManager,
  accountId: string,
  { channel, from, to, chatAccountId, receivedFrom, receivedTo }: InboundFilter,
  limit: number,
  before = MAX_UUID,
): Promise<{ messages: InboundRow[]; next: string | null }> {
  const examined = Math.max(limit + 1, EXAMINED);
  const rows: (InboundRow & { matches: boolean })[] = await db.query(
    from === undefined ? LIST_OF_ACCOUNT : LIST_OF_SENDER,
    [
      accountId,
      from ?? null,
      before,
      receivedTo ? firstIdAt(receivedTo.getTime()) : MAX_UUID,
      receivedFrom ? firstIdAt(receivedFrom.getTime()) : firstIdAt(0),
      examined,
      to ?? null,
      chatAccountId ?? null,
      limit + 1,
      channel,
    ],
  );
  const found = rows.filter(({ matches }) => matches);
  const edge = rows.find(({ matches }) => !matches);
  return {
    messages: found.slice(0, limit),
    next: found.length > limit ? found[limit - 1]!.id : (edge?.id ?? null),
  };
}

/** A line of a message's timeline: its recipient wrote to its sender. */
export interface InboundEvent {
  id: string;
  at: Date;
  kind: string;
  /** True when it answers this message. */
  isAnswer: boolean;
}

const TIMELINE_LIMIT = 20;

/** Lists the first messages that a recipient wrote to a sender after a message was accepted for them, oldest first. */
export function listInboundAfter(
  db: EntityManager,
  accountId: string,
  {
    sender,
    recipient,
    submissionId,
    n,
  }: { sender: string; recipient: string; submissionId: string; n: number },
): Promise<InboundEvent[]> {
  return db.query(
    `SELECT id, received_at AS at, kind,
            reply_to_submission_id IS NOT DISTINCT FROM $4::uuid
              AND reply_to_n IS NOT DISTINCT FROM $5::integer AS "isAnswer"
       FROM inbound_message
      WHERE account_id = $1
        AND sender = $2
        AND recipient = $3
        AND id > $4::uuid
      ORDER BY id
      LIMIT ${TIMELINE_LIMIT}`,
    [accountId, recipient, sender, submissionId, n],
  );
}
