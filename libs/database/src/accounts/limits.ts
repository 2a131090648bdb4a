import { ACCOUNT_LIMITS, type AccountLimit, type LimitedCreation } from '@signalbox/domain/account-limits';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { firstIdAtSql } from '../ops/first-id-at.ts';

/** The limits that count rows. */
export type StoredLimit = Exclude<AccountLimit, 'exports'>;

/** Counts the rows of a table that belong to the account $1 and meet all conditions. */
const count = (table: string, ...conditions: string[]): string => sql`
  SELECT count(*)
    FROM ${table}
   ${['WHERE account_id = $1', ...conditions].join('\n  AND ')}`;

/** The uses of each limit by the account $1. */
const USES: Record<StoredLimit, string> = {
  webhooks: count('webhook', 'deleted_at IS NULL'),
  chatAccounts: count('chat_account', 'deleted_at IS NULL'),
  senders: sql`
    SELECT count(*)
      FROM chat_account ca
      JOIN chat_sender cs ON cs.chat_account_id = ca.id
     WHERE ca.account_id = $1
       AND ca.deleted_at IS NULL`,
  templateNames: sql`
    SELECT count(DISTINCT name)
      FROM template
     WHERE account_id = $1
       AND chat_account_id = $2
       AND name <> $3
       AND deleted_at IS NULL`,
  smsTemplates: count('sms_template'),
  verifyConfigs: count('verification_config', 'deleted_at IS NULL'),
  unusedMedia: count('media', 'used_at IS NULL'),
  apiKeys: count('api_key', 'revoked_at IS NULL', '(expires_at IS NULL OR expires_at > now())'),
  users: count('user_account'),
  mediaBytes: sql`
    SELECT COALESCE(sum(size_bytes), 0) AS count
      FROM media
     WHERE account_id = $1`,
  cancellations: count('message_cancellation', `status = 'RUNNING'`),
  replays: count('push_replay', `status = 'RUNNING'`),
};

const DAY_AGO = sql`now() - interval '1 day'`;
const IS_NEW = `id >= ${firstIdAtSql(DAY_AGO)}`;

/** The rows that the account $1 created within 24 hours, deleted ones included. */
const CREATIONS: Record<LimitedCreation, string> = {
  webhooks: count('webhook', IS_NEW),
  chatAccounts: count('chat_account', `created_at >= ${DAY_AGO}`),
  templateNames: count('template', IS_NEW),
  verifyConfigs: count('verification_config', IS_NEW),
  apiKeys: count('api_key', IS_NEW),
};

/** The uses of a limit, and the most that the account may have. */
export interface LimitUse {
  used: number;
  max: number;
}

/**
 * Counts the uses of a limit. Locks the account until the transaction ends, so that concurrent creations count one
 * after the other. The lock does not block rows that reference the account, such as messages.
 *
 * @param within for `templateNames` the chat account, and the name that is not counted
 */
export async function lockLimit(
  db: EntityManager,
  accountId: string,
  limit: StoredLimit,
  within: readonly unknown[] = [],
): Promise<LimitUse> {
  const max = await readMax(db, accountId, limit, 'FOR NO KEY UPDATE');
  const [row] = (await db.query(USES[limit], [accountId, ...within])) as [{ count: string }];
  return { used: Number(row.count), max };
}

/** Counts what an account created within 24 hours, deleted or not. Lock its limit before. */
export async function countCreations(
  db: EntityManager,
  accountId: string,
  limit: LimitedCreation,
): Promise<number> {
  const [row] = (await db.query(CREATIONS[limit], [accountId])) as [{ count: string }];
  return Number(row.count);
}

/** The setting of a limit that counts no rows. */
export function findLimit(db: EntityManager, accountId: string, limit: AccountLimit): Promise<number> {
  return readMax(db, accountId, limit, '');
}

async function readMax(
  db: EntityManager,
  accountId: string,
  limit: AccountLimit,
  lock: string,
): Promise<number> {
  const rows: { max: string | null }[] = await db.query(
    sql`
      SELECT limits->>$2 AS max
        FROM account
       WHERE id = $1
       ${lock}`,
    [accountId, limit],
  );
  return Number(rows[0]?.max ?? ACCOUNT_LIMITS[limit].max);
}
