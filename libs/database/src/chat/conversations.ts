import type { Channel } from '@signalbox/domain/channel';
import { MAX_UUID, firstIdAt } from '@signalbox/domain/id-time';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { MESSAGE_COLUMNS, type MessageState } from '../messages/messages.ts';
import { NEWEST_OF_RECIPIENT } from '../messages/of-recipient.ts';
import { INBOUND_COLUMNS, type InboundRow } from './inbound-list.ts';

/** A sender of the account and someone who wrote to it, with the newest message of that person. */
export interface Conversation extends InboundRow {
  /** When the person last wrote to the sender, by the chat app's clock; null for SMS. */
  lastInboundAt: Date | null;
  /** The newest message to the person among their last ANSWERS; null when none is from the sender. */
  answerId: string | null;
  answerN: number | null;
  answerStatus: string | null;
}

/** A filter of conversations: those that match all its fields. */
export interface ConversationFilter {
  channel?: Channel | undefined;
  /** The number of the account. */
  sender?: string | undefined;
  /** The number of the other, or a user id. */
  recipient?: string | undefined;
  /** The newest message came at this moment or later. */
  from?: Date | undefined;
}

/** Maximum number of inbound messages that a page reads. */
const EXAMINED = 1_000;

/** The newest messages to a person among which the answer is looked for. */
const ANSWERS = 20;

const LIST = sql`
  WITH candidate AS MATERIALIZED (
    SELECT *
      FROM inbound_message
     WHERE (account_id, id) >= ($1::uuid, $3::uuid)
       AND (account_id, id) < ($1::uuid, $2::uuid)
       AND ($7::text IS NULL OR sender = $7)
     ORDER BY account_id DESC, id DESC
     LIMIT ${EXAMINED}
  ), page AS (
    -- a message is the newest of its conversation
    SELECT *
      FROM candidate c
     WHERE ($4::text IS NULL OR recipient = $4)
       AND ($5::text IS NULL OR (chat_account_id IS NULL) = ($5 = 'sms'))
       AND NOT EXISTS (
         SELECT
           FROM inbound_message later
          WHERE later.account_id = $1
            AND later.sender = c.sender
            AND later.id > c.id
            AND later.recipient = c.recipient
       )
     ORDER BY id DESC
     LIMIT $6::integer
  ), edge AS (
    SELECT CASE
             WHEN (SELECT count(*) FROM candidate) = ${EXAMINED}
             THEN (SELECT min(id::text) FROM candidate)
           END AS edge
  )
  SELECT i.*, cp.last_inbound_at AS "lastInboundAt", edge.edge,
         answer.submission_id AS "answerId", answer.n AS "answerN", answer.status AS "answerStatus"
    FROM edge
    LEFT JOIN (SELECT ${INBOUND_COLUMNS} FROM page) AS i ON true
    LEFT JOIN chat_pair cp ON cp.account_id = $1 AND cp.sender = i."to" AND cp.recipient = i."from"
    LEFT JOIN LATERAL (
      SELECT m.submission_id, m.n, m.status
        FROM (
          SELECT submission_id, n, status
            FROM message
           WHERE account_id = $1
             AND recipient COLLATE "C" = i."from"
           ORDER BY ${NEWEST_OF_RECIPIENT}
           LIMIT ${ANSWERS}
        ) AS m
        JOIN submission s ON s.id = m.submission_id
       WHERE s.sender = i."to"
       ORDER BY m.submission_id DESC, m.n DESC
       LIMIT 1
    ) AS answer ON true
   ORDER BY i.id DESC`;

type Row = Conversation & { edge: string | null };

/**
 * Lists a page of an account's conversations, those with the newest inbound message first, before the id `before` of
 * such a message. It examines a bounded number of inbound messages; a page that is not full may have a next one.
 *
 * @returns `next` is the `before` of the next page; null at the end
 */
export async function listConversations(
  db: EntityManager,
  accountId: string,
  { channel, sender, recipient, from }: ConversationFilter,
  limit: number,
  before = MAX_UUID,
): Promise<{ conversations: Conversation[]; next: string | null }> {
  const rows: Row[] = await db.query(LIST, [
    accountId,
    before,
    from === undefined ? firstIdAt(0) : firstIdAt(from.getTime()),
    sender ?? null,
    channel ?? null,
    limit + 1,
    recipient ?? null,
  ]);
  const found = rows.filter(({ id }) => id !== null);
  const conversations = found.slice(0, limit);
  return { conversations, next: found.length > limit ? conversations.at(-1)!.id : (rows[0]?.edge ?? null) };
}

/** The two numbers of a conversation. */
export interface ConversationKey {
  /** The number of the account. */
  sender: string;
  /** The number of the other, or a user id. */
  recipient: string;
}

const THREAD_IN = sql`
  SELECT ${INBOUND_COLUMNS}
    FROM inbound_message
   WHERE account_id = $1
     AND sender = $3
     AND recipient = $2
     AND id < $4::uuid
   ORDER BY id DESC
   LIMIT $5`;

/** Lists inbound messages of a conversation, newest first, before an id. */
export function listThreadInbound(
  db: EntityManager,
  accountId: string,
  { sender, recipient }: ConversationKey,
  limit: number,
  before = MAX_UUID,
): Promise<InboundRow[]> {
  return db.query(THREAD_IN, [accountId, sender, recipient, before, limit]);
}

const THREAD_OUT = sql`
  WITH candidate AS MATERIALIZED (
    SELECT submission_id, n, recipient
      FROM message
     WHERE account_id = $1
       AND recipient COLLATE "C" = $3
       AND (submission_id, n) < ($4::uuid, $5::integer)
     ORDER BY ${NEWEST_OF_RECIPIENT}
     LIMIT ${EXAMINED}
  ), page AS (
    SELECT ${MESSAGE_COLUMNS}
      FROM candidate c
      JOIN submission s ON s.id = c.submission_id
      JOIN message m ON m.submission_id = c.submission_id AND m.n = c.n
     WHERE s.sender = $2
     ORDER BY c.submission_id DESC, c.n DESC
     LIMIT $6
  ), edge AS (
    SELECT submission_id AS "edgeId", n AS "edgeN"
      FROM candidate
     ORDER BY submission_id DESC, n DESC
    OFFSET ${EXAMINED - 1}
  )
  SELECT page.*, edge.*
    FROM (VALUES (1)) AS one
    LEFT JOIN edge ON true
    LEFT JOIN page ON true
   ORDER BY page."submissionId" DESC, page.n DESC`;

type OutboundRow = MessageState & { edgeId: string | null; edgeN: number };

/**
 * Lists messages of a conversation to the other, newest first, before a key; those not fanned out yet are absent.
 *
 * @returns `edge` is the last message that was examined, when the bound was met
 */
export async function listThreadOutbound(
  db: EntityManager,
  accountId: string,
  { sender, recipient }: ConversationKey,
  limit: number,
  before: MessageKey = { submissionId: MAX_UUID, n: 0 },
): Promise<{ messages: MessageState[]; edge: MessageKey | null }> {
  const values = [accountId, sender, recipient, before.submissionId, before.n, limit];
  const rows: OutboundRow[] = await db.query(THREAD_OUT, values);
  const [first] = rows;
  return {
    messages: rows.filter(({ submissionId }) => submissionId !== null),
    edge: first?.edgeId ? { submissionId: first.edgeId, n: first.edgeN } : null,
  };
}
