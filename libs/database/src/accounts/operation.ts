import type { AccountLimit } from '@signalbox/domain/account-limits';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { MIN_UUID } from '@signalbox/domain/id-time';

/** An account as operators see it. */
export interface OperatedAccount {
  id: string;
  name: string;
  status: 'active' | 'suspended';
  createdAt: Date;
  /** When an operator paused its messages; null while they are sent. */
  pausedAt: Date | null;
  smsPerSecond: number | null;
  /** The limits that differ from the defaults. */
  limits: Partial<Record<AccountLimit, number>>;
  /** API keys in force. */
  keys: number;
  /** Users of the account, without those who are disabled in it. */
  users: number;
}

const COLUMNS = sql`
  a.id, a.name, a.status, a.created_at AS "createdAt", a.paused_at AS "pausedAt",
  a.sms_per_second AS "smsPerSecond", a.limits,
  (SELECT count(*)::integer
     FROM api_key k
    WHERE k.account_id = a.id
      AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,
  (SELECT count(*)::integer
     FROM user_account ua
    WHERE ua.account_id = a.id
      AND ua.disabled_at IS NULL) AS users`;

export interface AccountFilter {
  /** Part of the name, in any case, or an id; null for all. */
  search: string | null;
  status: 'active' | 'suspended' | null;
}

const LIST = sql`
  SELECT ${COLUMNS}
    FROM account a
   WHERE a.id > $1
     AND ($2::text IS NULL OR a.id::text = lower($2) OR strpos(lower(a.name), lower($2)) > 0)
     AND ($3::text IS NULL OR a.status = $3)
   ORDER BY a.id
   LIMIT $4`;

/** Lists accounts by id, those behind `after`. */
export function listAccounts(
  db: EntityManager,
  { search, status }: AccountFilter,
  limit: number,
  after = MIN_UUID,
): Promise<OperatedAccount[]> {
  return db.query(LIST, [after, search, status, limit]);
}

export async function findAccount(db: EntityManager, id: string): Promise<OperatedAccount | undefined> {
  const [row]: OperatedAccount[] = await db.query(sql`SELECT ${COLUMNS} FROM account a WHERE a.id = $1`, [
    id,
  ]);
  return row;
}

/**
 * Lets no other transaction give a name to an account until this one ends. A statement that follows sees every name.
 */
export async function lockAccountNames(db: EntityManager): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock(hashtextextended('account names', 0))`);
}

/** Inserts an active account, in a transaction. @returns false when one has the name */
export async function insertAccount(
  db: EntityManager,
  { id, name, smsPerSecond, limits }: Pick<OperatedAccount, 'id' | 'name' | 'smsPerSecond' | 'limits'>,
): Promise<boolean> {
  await lockAccountNames(db);
  const rows: unknown[] = await db.query(
    `INSERT INTO account (id, name, sms_per_second, limits)
     SELECT $1, $2, $3, $4
      WHERE NOT EXISTS (SELECT FROM account WHERE name = $2)
     RETURNING id`,
    [id, name, smsPerSecond, JSON.stringify(limits)],
  );
  return rows.length > 0;
}

/** Settings of an account to change; undefined leaves one as it is. */
export interface AccountChange {
  name?: string | undefined;
  status?: 'active' | 'suspended' | undefined;
  smsPerSecond?: number | null | undefined;
  /** A number sets a limit, and null restores its default. */
  limits?: Partial<Record<AccountLimit, number | null>> | undefined;
}

/** Changes an account, in a transaction. @returns false when there is none, or another one has the name */
export async function changeAccount(
  db: EntityManager,
  id: string,
  { name, status, smsPerSecond, limits = {} }: AccountChange,
): Promise<boolean> {
  if (name !== undefined) await lockAccountNames(db);
  const rows = await returning(
    db,
    `UPDATE account
        SET name = COALESCE($2, name),
            status = COALESCE($3, status),
            sms_per_second = CASE WHEN $4 THEN $5::integer ELSE sms_per_second END,
            limits = jsonb_strip_nulls(limits || $6::jsonb)
      WHERE id = $1
        AND NOT EXISTS (SELECT FROM account other WHERE other.name = $2 AND other.id <> $1)
     RETURNING id`,
    [id, name, status, smsPerSecond !== undefined, smsPerSecond ?? null, JSON.stringify(limits)],
  );
  return rows.length > 0;
}

/**
 * Pauses what an account sends, or resumes it, on every channel. SMS stop within two seconds, when the rounds of their
 * lanes learn of the pause; chat-app messages stop immediately, because the rates of their senders are marked as used
 * up. A repeat changes nothing.
 *
 * @returns false when there is no such account
 */
export function setAccountPaused(db: EntityManager, id: string, paused: boolean): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const found = await returning(
      transaction,
      `UPDATE account
          SET paused_at = CASE WHEN $2 THEN COALESCE(paused_at, now()) END
        WHERE id = $1
       RETURNING id`,
      [id, paused],
    );
    // a second statement, which sees the senders that were added while the first waited for the account
    await transaction.query(PAUSE_SENDERS, [id, paused]);
    return found.length > 0;
  });
}

const PAUSE_SENDERS = sql`
  UPDATE chat_sender
     SET paced_until = CASE WHEN $2 THEN 'infinity' ELSE now() END
   WHERE msisdn IN (
     SELECT msisdn
       FROM chat_sender
      WHERE account_id = $1
        AND (paced_until = 'infinity') <> $2
      ORDER BY msisdn
        FOR NO KEY UPDATE
   )`;
