import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A message that a recipient wrote to a business number. */
export interface NewInbound {
  id: string;
  gateway: string;
  gatewayMessageId: string;
  /** The number of the writer, who is a recipient of our messages. */
  from: string;
  /** The business number. */
  to: string;
  kind: string;
  content: Record<string, unknown>;
  replyTo: MessageKey | null;
  sentAt: Date;
  receivedAt: Date;
  /** `stop`: the writer wants no more messages of the number; `start`: wants them again. */
  wish: 'stop' | 'start' | null;
}

/** The outcome of storing inbound messages. */
export interface StoredInbounds {
  /** The events of status RECEIVED, to be enqueued. */
  reportIds: string[];
  /** The ids of messages to a number that nobody owns: they are not stored. */
  unowned: string[];
}

const INBOUNDS = rowset('given', {
  id: 'uuid',
  gateway: 'text',
  gateway_message_id: 'text',
  sender: ['text', (inbound: NewInbound) => inbound.from],
  recipient: ['text', (inbound: NewInbound) => inbound.to],
  kind: 'text',
  content: 'jsonb',
  reply_to: ['uuid', (inbound: NewInbound) => inbound.replyTo?.submissionId],
  reply_n: ['integer', (inbound: NewInbound) => inbound.replyTo?.n],
  sent_at: 'timestamptz',
  received_at: 'timestamptz',
  wish: 'text',
});

const INSERT = sql`
  WITH given AS MATERIALIZED (
    SELECT given.*, owner.account_id, owner.chat_account_id
      FROM ${INBOUNDS.from}
      LEFT JOIN chat_sender owner ON owner.msisdn = given.recipient
  ), stored AS (
    -- it answers a message only if we sent that message to its writer
    INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient,
                                 kind, content, reply_to_submission_id, reply_to_n, sent_at, received_at)
    SELECT given.id, given.account_id, given.chat_account_id, given.gateway, given.gateway_message_id,
           given.sender, given.recipient, given.kind, given.content,
           s.id, CASE WHEN s.id IS NOT NULL THEN given.reply_n END, given.sent_at, given.received_at
      FROM given
      LEFT JOIN submission s
        ON s.id = given.reply_to
       AND s.account_id = given.account_id
       AND s.recipients[given.reply_n] = given.sender
     WHERE given.account_id IS NOT NULL
     ORDER BY given.gateway, given.gateway_message_id, given.id
    ON CONFLICT DO NOTHING
    RETURNING id, account_id, gateway, sender, recipient, sent_at, LEAST(sent_at, now()) AS written_at
  ), pair AS (
    INSERT INTO chat_pair AS p (account_id, sender, recipient, last_inbound_at)
    SELECT account_id, recipient, sender, max(written_at)
      FROM stored
     GROUP BY account_id, recipient, sender
     ORDER BY account_id, recipient, sender
    ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
       SET last_inbound_at = GREATEST(p.last_inbound_at, EXCLUDED.last_inbound_at)
  ), wish AS MATERIALIZED (
    -- the latest wish of each writer and number
    SELECT DISTINCT ON (stored.account_id, stored.sender, stored.recipient) stored.*, given.wish
      FROM given
      JOIN stored ON stored.id = given.id
     WHERE given.wish IS NOT NULL
     ORDER BY stored.account_id, stored.sender, stored.recipient, stored.written_at DESC
  ), stopped AS (
    INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
    SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at
      FROM wish
     WHERE wish = 'stop'
     ORDER BY account_id, sender, recipient
    ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
  ), started AS (
    DELETE FROM opt_out o
     USING wish
     WHERE wish.wish = 'start'
       AND o.account_id = wish.account_id
       AND o.recipient = wish.sender
       AND o.sender = wish.recipient
       AND o.created_at <= wish.written_at
  ), event AS (
    INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
    SELECT uuidv7(), gateway, id, 0, 'RECEIVED', '000', 'Message received', sent_at
      FROM stored
    RETURNING id
  )
  SELECT ARRAY(SELECT id FROM event) AS "reportIds",
         ARRAY(SELECT id FROM given WHERE account_id IS NULL) AS unowned`;

/**
 * Stores messages that recipients wrote, each with an event of status RECEIVED, which its pushes refer to. A message
 * that the gateway called back about before is not stored again. The same statement sets the time at which each pair
 * was last written from, and carries out the latest wish of each writer: STOP adds an opt-out from the number, START
 * removes one that is older.
 */
export async function insertInbounds(db: EntityManager, messages: NewInbound[]): Promise<StoredInbounds> {
  if (messages.length === 0) return { reportIds: [], unowned: [] };
  const [row]: [StoredInbounds] = await db.query(INSERT, INBOUNDS.values(messages));
  return row;
}
