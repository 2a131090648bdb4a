import type { QuotaUse } from '@signalbox/domain/verify/limits';
import type { EntityManager } from 'typeorm';
import { type Rowset, rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A limited resource of an account, and its uses within the window of the limit. */
export interface Quota {
  accountId: string;
  /** `prefix <digits>` or `credits`. */
  quota: string;
  /** Oldest first. */
  uses: QuotaUse[];
}

const KEYS = rowset('wanted', { account_id: 'uuid', quota: 'text' });

/** Updates the rows of keys, and inserts missing ones: in the order of the keys, so that two batches never deadlock. */
export const upsertKeys = (table: string, keys: Rowset<never>): string => sql`
  INSERT INTO ${table} (${keys.columns})
  SELECT DISTINCT ${keys.columns}
    FROM ${keys.from}
   ORDER BY ${keys.columns}
  ON CONFLICT ON CONSTRAINT ${table}_pkey DO UPDATE`;

const LOCK = sql`
  ${upsertKeys('verification_quota', KEYS)}
     SET used_at = now()
  RETURNING account_id AS "accountId", quota, uses`;

/** Reads quotas and locks their rows until the end of the transaction. A quota without a row gets one. */
export async function lockQuotas(
  db: EntityManager,
  quotas: Pick<Quota, 'accountId' | 'quota'>[],
): Promise<Quota[]> {
  const rows: Quota[] = await db.query(LOCK, KEYS.values(quotas));
  return rows.map((row) => ({ ...row, uses: listOf(row.uses) }));
}

/**
 * Returns the objects of a stored list; none for a value that is no list, so that a damaged row fails no other of its
 * batch.
 */
export function listOf<T extends object>(stored: T[]): T[] {
  return Array.isArray(stored) ? stored.filter((each) => typeof each === 'object' && each !== null) : [];
}

const QUOTAS = rowset('given', { account_id: 'uuid', quota: 'text', uses: 'jsonb' });

const SAVE = sql`
  UPDATE verification_quota vq
     SET uses = given.uses
    FROM ${QUOTAS.from}
   WHERE vq.account_id = given.account_id
     AND vq.quota = given.quota`;

/** Saves the uses of locked quotas. */
export async function saveQuotas(db: EntityManager, quotas: Quota[]): Promise<void> {
  await db.query(SAVE, QUOTAS.values(quotas));
}
