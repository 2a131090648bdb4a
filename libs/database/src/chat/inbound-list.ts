import { LAST_ID, firstIdAt } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';

/** A message that a recipient wrote, as it is kept. */
export interface InboundRow {
  id: string;
  chatAccountId: number;
  gateway: string;
  /** Who wrote. */
  from: string;
  /** The business number. */
  to: string;
  kind: string;
  content: Record<string, unknown>;
  /** The message of ours that it answers. */
  replyToId: string | null;
  replyToN: number | null;
  sentAt: Date;
  receivedAt: Date;
}

/** Which inbound messages of an account are listed: those that match everything it names. */
export interface InboundFilter {
  from?: string | undefined;
  to?: string | undefined;
  chatAccountId?: number | undefined;
  /** Received at this moment or later. */
  receivedFrom?: Date | undefined;
  /** Received before this moment. */
  receivedTo?: Date | undefined;
}

/** How many messages one page looks at when a filter has no index of its own. */
const EXAMINED = 1_000;

const COLUMNS = `
  id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", recipient AS "to", kind, content,
  reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN", sent_at AS "sentAt", received_at AS "receivedAt"`;

/** One inbound message of an account; undefined when there is none, whoever else may have it. */
export async function findInbound(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<InboundRow | undefined> {
  const [row]: InboundRow[] = await db.query(
    `SELECT ${COLUMNS} FROM inbound_message WHERE account_id = $1 AND id = $2`,
    [accountId, id],
  );
  return row;
}

/**
 * A page of an account's inbound messages, newest first, from just before the id `before`. It walks the messages of who wrote, or of the account, and looks
 * at a bounded number of them; a page that finds less than it may hold says where to go on.
 *
 * @returns `next` is the id to go on before; null at the end
 */
export async function listInbounds(
  db: EntityManager,
  accountId: string,
  { from, to, chatAccountId, receivedFrom, receivedTo }: InboundFilter,
  limit: number,
  before = LAST_ID,
): Promise<{ messages: InboundRow[]; next: string | null }> {
  const examined = Math.max(limit + 1, to === undefined && chatAccountId === undefined ? 0 : EXAMINED);
  const rows: (InboundRow & { matches: boolean })[] = await db.query(
    `WITH candidate AS MATERIALIZED (
       SELECT * FROM inbound_message
        WHERE account_id = $1 ${from === undefined ? 'AND $2::text IS NULL' : 'AND sender = $2'} AND id < LEAST($3::uuid, $4::uuid) AND id >= $5::uuid
        ORDER BY id DESC LIMIT $6
     ), page AS (
       SELECT ${COLUMNS}, true AS matches FROM candidate
        WHERE ($7::text IS NULL OR recipient = $7) AND ($8::bigint IS NULL OR chat_account_id = $8) ORDER BY id DESC LIMIT $9
     )
     SELECT * FROM page
      UNION ALL
     (SELECT ${COLUMNS}, false FROM candidate WHERE (SELECT count(*) FROM candidate) = $6 ORDER BY id LIMIT 1)`,
    [
      accountId,
      from ?? null,
      before,
      receivedTo ? firstIdAt(receivedTo.getTime()) : LAST_ID,
      receivedFrom ? firstIdAt(receivedFrom.getTime()) : firstIdAt(0),
      examined,
      to ?? null,
      chatAccountId ?? null,
      limit + 1,
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
  /** It names the message as what it answers. */
  isAnswer: boolean;
}

const TIMELINE_LIMIT = 20;

/** What a recipient wrote to a sender since a message went to them: the first of it, oldest first. */
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
    `SELECT id, received_at AS at, kind, reply_to_submission_id IS NOT DISTINCT FROM $4::uuid AND reply_to_n IS NOT DISTINCT FROM $5::integer AS "isAnswer"
       FROM inbound_message WHERE account_id = $1 AND sender = $2 AND recipient = $3 AND id > $4::uuid ORDER BY id LIMIT ${TIMELINE_LIMIT}`,
    [accountId, recipient, sender, submissionId, n],
  );
}
