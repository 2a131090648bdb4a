import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { returning } from '../core/returning.ts';
import { ApiKey } from './api-key.entity.ts';

/** The account and the rights of an API key. */
export interface KeyHolder {
  hash: Buffer;
  keyId: string;
  keyName: string;
  accountId: string;
  accountStatus: 'active' | 'suspended';
  scopes: string[];
  rateLimitPerMinute: number | null;
  /** True for an `sb_test_` key. */
  isTest: boolean;
  /** True when the account has a limited rate of SMS, or is paused. */
  isPaced: boolean;
}

/** Lists the live keys among these hashes. A revoked or expired key is as absent as an unknown one. */
export function listKeyHolders(db: EntityManager, hashes: Buffer[]): Promise<KeyHolder[]> {
  return db.query(
    `SELECT k.hash, k.id AS "keyId", k.name AS "keyName", a.id AS "accountId", a.status AS "accountStatus", k.scopes,
            k.rate_limit_per_minute AS "rateLimitPerMinute",
            k.prefix = 'sb_test_' AS "isTest",
            a.sms_per_second IS NOT NULL OR a.paused_at IS NOT NULL AS "isPaced"
       FROM api_key k
       JOIN account a ON a.id = k.account_id
      WHERE k.hash = ANY($1::bytea[])
        AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())`,
    [hashes],
  );
}

/** An API key as it is read: everything but the key and its hash. */
export type ListedKey = Omit<ApiKey, 'hash'>;

/** Lists a page of the keys of an account, also those that ended, newest first, before the id `before`. */
export function listKeys(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
): Promise<ListedKey[]> {
  const where = { accountId, ...(before && { id: LessThan(before) }) };
  return db.find(ApiKey, { where, order: { id: 'DESC' }, take: limit });
}

/** Finds a key of an account. */
export async function findKey(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<ListedKey | undefined> {
  return (await db.findOneBy(ApiKey, { accountId, id })) ?? undefined;
}

/** Locks a key of an account until the transaction ends. */
export async function lockKey(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<ListedKey | undefined> {
  const lock = { mode: 'pessimistic_write' } as const;
  return (await db.findOne(ApiKey, { where: { accountId, id }, lock })) ?? undefined;
}

/** Inserts a key. */
export async function insertKey(
  db: EntityManager,
  key: Pick<ApiKey, 'id' | 'accountId' | 'name' | 'hash' | 'prefix' | 'last4' | 'scopes'> & Partial<ApiKey>,
): Promise<void> {
  await db.insert(ApiKey, key);
}

/** Renames a key. */
export async function renameKey(db: EntityManager, id: string, name: string): Promise<void> {
  await db.update(ApiKey, { id }, { name });
}

/** Revokes a key that was not revoked before. */
export async function revokeKey(db: EntityManager, id: string): Promise<void> {
  await db.update(ApiKey, { id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
}

/**
 * Puts another key in the place of a key, which works for some hours more, or until it expires if that is sooner.
 *
 * @returns the time at which the old key ends
 */
export async function replaceKey(
  db: EntityManager,
  id: string,
  replacedBy: string,
  overlapHours: number,
): Promise<Date> {
  const [row] = await returning<{ expiresAt: Date }>(
    db,
    `UPDATE api_key
        SET replaced_by = $2, expires_at = LEAST(expires_at, now() + make_interval(hours => $3))
      WHERE id = $1
     RETURNING expires_at AS "expiresAt"`,
    [id, replacedBy, overlapHours],
  );
  return row!.expiresAt;
}

/** Notes when keys were last used. A later time that another process noted stays. */
export async function noteKeyUses(db: EntityManager, uses: { keyId: string; at: Date }[]): Promise<void> {
  await db.query(
    `UPDATE api_key k
        SET last_used_at = used.at
       FROM (
         SELECT *
           FROM unnest($1::uuid[], $2::timestamptz[]) AS given(id, at)
          ORDER BY id
       ) AS used
      WHERE k.id = used.id
        AND (k.last_used_at IS NULL OR k.last_used_at < used.at - interval '30 seconds')`,
    [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
  );
}
