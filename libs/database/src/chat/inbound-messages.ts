import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';

/** A message that a recipient wrote to a business number. */
export interface NewInbound {
  id: string;
  gateway: string;
  gatewayMessageId: string;
  /** Who wrote: the recipient of what we send. */
  from: string;
  /** The business number. */
  to: string;
  kind: string;
  content: Record<string, unknown>;
  replyTo: MessageKey | null;
  sentAt: Date;
  receivedAt: Date;
  /** The writer wants no more messages of the number, or wants them again. */
  wish: 'stop' | 'start' | null;
}

/** What came of inbound messages. */
export interface StoredInbounds {
  /** The reports of status RECEIVED, to be rung for. */
  reportIds: string[];
  /** The ids of those to a number that nobody owns: they are not stored. */
  unowned: string[];
}

/**
 * Stores what recipients wrote, and for each message a report of status RECEIVED, which the pushes of it hang on. One that a gateway told of before is
 * not stored again. With them go the last time that each pair was written from, and the wish to stop or start, where the later of a pair counts; START
 * takes back an opt-out of that number which is older than itself.
 */
export async function insertInbounds(db: EntityManager, messages: NewInbound[]): Promise<StoredInbounds> {
  if (messages.length === 0) return { reportIds: [], unowned: [] };
  const [row]: [StoredInbounds] = await db.query(
    `WITH told AS MATERIALIZED (
       SELECT t.*, owner.account_id, owner.chat_account_id
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::uuid[], $9::integer[],
                     $10::timestamptz[], $11::timestamptz[], $12::text[])
           AS t(id, gateway, gateway_message_id, sender, recipient, kind, content, reply_to, reply_n, sent_at, received_at, wish)
         LEFT JOIN chat_sender owner ON owner.msisdn = t.recipient
     ), stored AS (
       INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient, kind, content,
                                    reply_to_submission_id, reply_to_n, sent_at, received_at)
       SELECT t.id, t.account_id, t.chat_account_id, t.gateway, t.gateway_message_id, t.sender, t.recipient, t.kind, t.content,
              s.id, CASE WHEN s.id IS NOT NULL THEN t.reply_n END, t.sent_at, t.received_at
         FROM told t
         LEFT JOIN submission s ON s.id = t.reply_to AND s.account_id = t.account_id AND s.recipients[t.reply_n] = t.sender
        WHERE t.account_id IS NOT NULL ORDER BY t.gateway, t.gateway_message_id, t.id
       ON CONFLICT DO NOTHING
       RETURNING id, account_id, gateway, sender, recipient, sent_at, LEAST(sent_at, now()) AS written_at
     ), pair AS (
       INSERT INTO chat_pair AS p (account_id, sender, recipient, last_inbound_at)
       SELECT account_id, recipient, sender, max(written_at) FROM stored GROUP BY account_id, recipient, sender ORDER BY account_id, recipient, sender
       ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE SET last_inbound_at = GREATEST(p.last_inbound_at, EXCLUDED.last_inbound_at)
     ), wish AS MATERIALIZED (
       SELECT DISTINCT ON (stored.account_id, stored.sender, stored.recipient) stored.*, told.wish
         FROM told JOIN stored ON stored.id = told.id WHERE told.wish IS NOT NULL
        ORDER BY stored.account_id, stored.sender, stored.recipient, stored.written_at DESC
     ), stopped AS (
       INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
       SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at FROM wish WHERE wish = 'stop'
       ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
     ), started AS (
       DELETE FROM opt_out o USING wish w
        WHERE w.wish = 'start' AND o.account_id = w.account_id AND o.recipient = w.sender AND o.sender = w.recipient AND o.created_at <= w.written_at
     ), report AS (
       INSERT INTO delivery_report (id, gateway, submission_id, n, status, err_code, description, reported_at)
       SELECT uuidv7(), gateway, id, 0, 'RECEIVED', '000', 'Message received', sent_at FROM stored
       RETURNING id
     )
     SELECT ARRAY(SELECT id FROM report) AS "reportIds", ARRAY(SELECT id FROM told WHERE account_id IS NULL) AS unowned`,
    columnsOf(messages),
  );
  return row;
}

function columnsOf(messages: NewInbound[]): unknown[] {
  return [
    messages.map((m) => m.id),
    messages.map((m) => m.gateway),
    messages.map((m) => m.gatewayMessageId),
    messages.map((m) => m.from),
    messages.map((m) => m.to),
    messages.map((m) => m.kind),
    messages.map((m) => JSON.stringify(m.content)),
    messages.map((m) => m.replyTo?.submissionId ?? null),
    messages.map((m) => m.replyTo?.n ?? null),
    messages.map((m) => m.sentAt.toISOString()),
    messages.map((m) => m.receivedAt.toISOString()),
    messages.map((m) => m.wish),
  ];
}
