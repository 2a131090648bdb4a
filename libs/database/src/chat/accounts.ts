import type { EntityManager } from 'typeorm';
import type { SessionWindow } from './senders.ts';

/** A business chat-app account of a tenant; its id is the wire's numeric chatAccountId. */
export interface ChatAccountRow {
  id: number;
  name: string;
  sessionWindow: SessionWindow;
  createdAt: Date;
  updatedAt: Date;
}

/** A number that a chat account sends from. */
export interface ChatSenderRow {
  msisdn: string;
  /** How fast messages go out from it. */
  messagesPerSecond: number;
  createdAt: Date;
}

/** Ids have at most 15 digits, so a double holds each. */
const COLUMNS = `id::float8 AS id, name, session_window AS "sessionWindow", created_at AS "createdAt", updated_at AS "updatedAt"`;

const SENDER_COLUMNS = `msisdn, messages_per_second AS "messagesPerSecond", created_at AS "createdAt"`;

/** The id of a chat account that is about to be inserted. */
export async function nextChatAccountId(db: EntityManager): Promise<number> {
  const [row]: { id: number }[] = await db.query(
    `SELECT nextval(pg_get_serial_sequence('chat_account', 'id'))::float8 AS id`,
  );
  return row!.id;
}

/** Stores a chat account; false when the tenant has one of that name already. */
export async function insertChatAccount(
  db: EntityManager,
  accountId: string,
  row: ChatAccountRow,
): Promise<boolean> {
  const inserted: unknown[] = await db.query(
    `INSERT INTO chat_account (id, account_id, name, session_window, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
     ON CONFLICT (account_id, name) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
    [row.id, accountId, row.name, row.sessionWindow, row.createdAt],
  );
  return inserted.length > 0;
}

/** One chat account of a tenant; undefined when there is none, whoever else may have it. */
export async function findChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
): Promise<ChatAccountRow | undefined> {
  const [row]: ChatAccountRow[] = await db.query(
    `SELECT ${COLUMNS} FROM chat_account WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
    [id, accountId],
  );
  return row;
}

/** A page of a tenant's chat accounts, newest first, from just before the id `before`. */
export function listChatAccounts(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: number,
): Promise<ChatAccountRow[]> {
  return db.query(
    `SELECT ${COLUMNS} FROM chat_account
      WHERE account_id = $1 AND deleted_at IS NULL AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [accountId, before ?? null, limit],
  );
}

/** Changes what is given of a chat account. @returns 'absent', or 'name_exists' when the tenant has another one of that name */
export async function changeChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
  change: { name?: string | undefined; sessionWindow?: SessionWindow | undefined },
): Promise<ChatAccountRow | 'absent' | 'name_exists'> {
  try {
    const [[row]] = (await db.query(
      `UPDATE chat_account SET name = COALESCE($3, name), session_window = COALESCE($4, session_window), updated_at = now()
        WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL RETURNING ${COLUMNS}`,
      [id, accountId, change.name ?? null, change.sessionWindow ?? null],
    )) as [ChatAccountRow[], number];
    return row ?? 'absent';
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'chat_account_name') return 'name_exists';
    throw error;
  }
}

/** Whether a tenant has a chat account, which then stays until the end of the transaction. */
export async function lockChatAccount(db: EntityManager, accountId: string, id: number): Promise<boolean> {
  const found: unknown[] = await db.query(
    `SELECT id FROM chat_account WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR SHARE`,
    [id, accountId],
  );
  return found.length > 0;
}

/** Takes a chat account away, with its templates and its senders, whose numbers are free again. False when there is none. */
export async function deleteChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
  actor: string,
): Promise<boolean> {
  const deleted: unknown[] = await db.query(
    `WITH gone AS (
       UPDATE chat_account SET deleted_at = now() WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL RETURNING id
     ), freed AS (
       DELETE FROM chat_sender WHERE chat_account_id IN (SELECT id FROM gone)
     ), templates AS (
       UPDATE template SET deleted_at = now(), updated_at = now()
        WHERE account_id = $2 AND chat_account_id IN (SELECT id FROM gone) AND deleted_at IS NULL RETURNING id, version
     ), events AS (
       INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
       SELECT uuidv7(), id, $2, version, 'deleted', $3, now() FROM templates
     )
     SELECT id FROM gone`,
    [id, accountId, actor],
  );
  return deleted.length > 0;
}

/**
 * Registers a number with a chat account; a number belongs to one chat account of all tenants.
 *
 * @returns 'absent' when the tenant has no such chat account
 */
export async function insertChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  { msisdn, messagesPerSecond, createdAt }: ChatSenderRow,
): Promise<'stored' | 'taken' | 'absent'> {
  const [row]: { found: boolean; stored: boolean }[] = await db.query(
    `WITH owner AS (
       SELECT id, account_id FROM chat_account WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR SHARE
     ), stored AS (
       INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second, created_at)
       SELECT $3, id, account_id, $4::smallint, $5::timestamptz FROM owner
       ON CONFLICT DO NOTHING RETURNING msisdn
     )
     SELECT EXISTS (SELECT FROM owner) AS found, EXISTS (SELECT FROM stored) AS stored`,
    [chatAccountId, accountId, msisdn, messagesPerSecond, createdAt],
  );
  if (!row?.found) return 'absent';
  return row.stored ? 'stored' : 'taken';
}

/** A page of a chat account's senders, by number, from just after `after`. */
export function listChatSenders(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  limit: number,
  after?: string,
): Promise<ChatSenderRow[]> {
  return db.query(
    `SELECT ${SENDER_COLUMNS} FROM chat_sender
      WHERE chat_account_id = $1 AND account_id = $2 AND ($3::text IS NULL OR msisdn > $3) ORDER BY msisdn LIMIT $4`,
    [chatAccountId, accountId, after ?? null, limit],
  );
}

/** Sets how fast messages go out from a sender; undefined when the chat account has none of this number. */
export async function changeChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  msisdn: string,
  messagesPerSecond: number,
): Promise<ChatSenderRow | undefined> {
  const [[row]] = (await db.query(
    `UPDATE chat_sender SET messages_per_second = $4 WHERE msisdn = $1 AND chat_account_id = $2 AND account_id = $3 RETURNING ${SENDER_COLUMNS}`,
    [msisdn, chatAccountId, accountId, messagesPerSecond],
  )) as [ChatSenderRow[], number];
  return row;
}

/** Takes a sender away; its number is free again. False when there is none. */
export async function deleteChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  msisdn: string,
): Promise<boolean> {
  const [deleted] = (await db.query(
    `DELETE FROM chat_sender WHERE msisdn = $1 AND chat_account_id = $2 AND account_id = $3 RETURNING msisdn`,
    [msisdn, chatAccountId, accountId],
  )) as [unknown[], number];
  return deleted.length > 0;
}
