import { type EntityManager, IsNull, LessThan, MoreThan } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { orNameExists } from '../core/unique-name.ts';
import { deletionEvents } from '../templates/templates.ts';
import { CLAIM_ASSIGNMENT, QUARANTINE } from './assignments.ts';
import { ChatAccount, ChatSender } from './chat-account.entity.ts';

export type ChatAccountRow = Pick<ChatAccount, 'id' | 'name' | 'sessionWindow' | 'createdAt' | 'updatedAt'>;

export type ChatSenderRow = Pick<ChatSender, 'msisdn' | 'messagesPerSecond' | 'createdAt'>;

const NAME_INDEX = 'chat_account_name';

/** Reserves the id of a chat account that is about to be inserted. */
export async function nextChatAccountId(db: EntityManager): Promise<number> {
  const [row]: { id: number }[] = await db.query(
    `SELECT nextval(pg_get_serial_sequence('chat_account', 'id'))::float8 AS id`,
  );
  return row!.id;
}

/** Inserts a chat account; false when the tenant has one of that name. */
export async function insertChatAccount(
  db: EntityManager,
  accountId: string,
  row: ChatAccountRow,
): Promise<boolean> {
  const { id, name, sessionWindow, createdAt } = row;
  const insert = db.insert(ChatAccount, {
    id,
    accountId,
    name,
    sessionWindow,
    createdAt,
    updatedAt: createdAt,
  });
  return (await orNameExists(NAME_INDEX, insert)) !== 'name_exists';
}

/** Finds one chat account of a tenant. */
export async function findChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
): Promise<ChatAccountRow | undefined> {
  return (await db.findOneBy(ChatAccount, { id, accountId, deletedAt: IsNull() })) ?? undefined;
}

/** Lists a page of a tenant's chat accounts, newest first, before the id `before`. */
export function listChatAccounts(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: number,
): Promise<ChatAccountRow[]> {
  const where = { accountId, deletedAt: IsNull(), ...(before !== undefined && { id: LessThan(before) }) };
  return db.find(ChatAccount, { where, order: { id: 'DESC' }, take: limit });
}

/** Changes the given fields of a chat account. @returns 'name_exists' when the tenant has another one of that name */
export async function changeChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
  change: { name?: string | undefined; sessionWindow?: ChatAccount['sessionWindow'] | undefined },
): Promise<ChatAccountRow | 'absent' | 'name_exists'> {
  const update = returning<ChatAccountRow>(
    db,
    `UPDATE chat_account
        SET name = COALESCE($3, name), session_window = COALESCE($4, session_window), updated_at = now()
      WHERE id = $1
        AND account_id = $2
        AND deleted_at IS NULL
     RETURNING id::float8 AS id, name, session_window AS "sessionWindow",
               created_at AS "createdAt", updated_at AS "updatedAt"`,
    [id, accountId, change.name ?? null, change.sessionWindow ?? null],
  );
  const rows = await orNameExists(NAME_INDEX, update);
  return rows === 'name_exists' ? rows : (rows[0] ?? 'absent');
}

/**
 * Locks a chat account of a tenant, so that it is not deleted before the end of the transaction; false when there is
 * none.
 */
export async function lockChatAccount(db: EntityManager, accountId: string, id: number): Promise<boolean> {
  const where = { id, accountId, deletedAt: IsNull() };
  const lock = { mode: 'pessimistic_read' } as const;
  return (await db.findOne(ChatAccount, { where, lock })) !== null;
}

/**
 * Deletes a chat account with its templates and its senders, whose numbers are quarantined. False when there is none.
 */
export function deleteChatAccount(
  db: EntityManager,
  accountId: string,
  id: number,
  actor: string,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const deleted = await returning(transaction, DELETE_CHAT_ACCOUNT, [id, accountId]);
    if (deleted.length === 0) return false;
    // a second statement, which sees what was added to the chat account while the first waited for it
    await transaction.query(DELETE_CONTENTS, [id, accountId, actor]);
    return true;
  });
}

const DELETE_CHAT_ACCOUNT = sql`
  UPDATE chat_account
     SET deleted_at = now()
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
  RETURNING id`;

const DELETE_CONTENTS = sql`
  WITH gone AS (
    DELETE FROM chat_sender
     WHERE msisdn IN (
       SELECT msisdn
         FROM chat_sender
        WHERE chat_account_id = $1
        ORDER BY msisdn
          FOR UPDATE
     )
    RETURNING msisdn, account_id
  ), quarantined AS (
    ${QUARANTINE}
  ), templates AS (
    UPDATE template
       SET deleted_at = now(), updated_at = now()
     WHERE account_id = $2
       AND chat_account_id = $1
       AND deleted_at IS NULL
    RETURNING id, version
  )
  ${deletionEvents('templates')}`;

/** The numbers that an account may add: those assigned to it, or with `open` also those that no account owns. */
export type SenderRegistration = 'assigned' | 'open';

/**
 * Registers a number with a chat account; a number belongs to one chat account of all tenants.
 *
 * @returns 'absent' when the tenant has no such chat account; 'unavailable' when the number is registered already or is
 * not the tenant's to add: the transaction can then only be rolled back
 */
export async function insertChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  { msisdn, messagesPerSecond, createdAt }: ChatSenderRow,
  registration: SenderRegistration,
): Promise<'stored' | 'unavailable' | 'absent'> {
  const values = [chatAccountId, accountId, msisdn, messagesPerSecond, createdAt, registration === 'open'];
  const [row]: { found: boolean; stored: boolean }[] = await db.query(INSERT_SENDER, values);
  if (!row?.found) return 'absent';
  return row.stored ? 'stored' : 'unavailable';
}

const INSERT_SENDER = sql`
  WITH owner AS (
    SELECT id, account_id
      FROM chat_account
     WHERE id = $1
       AND account_id = $2
       AND deleted_at IS NULL
       FOR SHARE
  ), stored AS (
    -- a sender of a paused account is paused with it
    INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second, created_at, paced_until)
    SELECT $3, id, account_id, $4::smallint, $5::timestamptz,
           (SELECT CASE WHEN a.paused_at IS NULL THEN 'epoch' ELSE 'infinity' END::timestamptz
              FROM account a
             WHERE a.id = owner.account_id)
      FROM owner
    ON CONFLICT DO NOTHING
    RETURNING msisdn, account_id
  ), ${CLAIM_ASSIGNMENT}
  SELECT EXISTS (SELECT FROM owner) AS found,
         EXISTS (SELECT FROM kept) OR EXISTS (SELECT FROM claimed) AS stored`;

/** Lists a page of a chat account's senders by number, after `after`. */
export function listChatSenders(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  limit: number,
  after?: string,
): Promise<ChatSenderRow[]> {
  const where = { chatAccountId, accountId, ...(after !== undefined && { msisdn: MoreThan(after) }) };
  return db.find(ChatSender, { where, order: { msisdn: 'ASC' }, take: limit });
}

/** Sets the rate of a sender; undefined when the chat account has none of this number. */
export async function changeChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  msisdn: string,
  messagesPerSecond: number,
): Promise<ChatSenderRow | undefined> {
  const [row] = await returning<ChatSenderRow>(
    db,
    `UPDATE chat_sender
        SET messages_per_second = $4
      WHERE msisdn = $1
        AND chat_account_id = $2
        AND account_id = $3
     RETURNING msisdn, messages_per_second AS "messagesPerSecond", created_at AS "createdAt"`,
    [msisdn, chatAccountId, accountId, messagesPerSecond],
  );
  return row;
}

/** Deletes a sender, whose number is quarantined; false when there is none. */
export async function deleteChatSender(
  db: EntityManager,
  accountId: string,
  chatAccountId: number,
  msisdn: string,
): Promise<boolean> {
  const deleted: unknown[] = await db.query(DELETE_SENDER, [msisdn, chatAccountId, accountId]);
  return deleted.length > 0;
}

const DELETE_SENDER = sql`
  WITH gone AS (
    DELETE FROM chat_sender
     WHERE msisdn = $1
       AND chat_account_id = $2
       AND account_id = $3
    RETURNING msisdn, account_id
  ), quarantined AS (
    ${QUARANTINE}
  )
  SELECT msisdn FROM gone`;
