import type { QuotaUse } from '@signalbox/domain/verify/limits';
import type { EntityManager } from 'typeorm';

/** Something of which an account may use so much in a window of time, and what it has used. */
export interface Quota {
  accountId: string;
  /** `prefix <digits>` or `credits`. */
  quota: string;
  /** Oldest first. */
  uses: QuotaUse[];
}

/** Reads quotas, and holds their rows until the end of the transaction. */
export function lockQuotas(
  db: EntityManager,
  quotas: Pick<Quota, 'accountId' | 'quota'>[],
): Promise<Quota[]> {
  return db.query(
    `INSERT INTO verification_quota AS held (account_id, quota)
     SELECT DISTINCT account_id, quota FROM unnest($1::uuid[], $2::text[]) AS q(account_id, quota) ORDER BY account_id, quota
     ON CONFLICT ON CONSTRAINT verification_quota_pkey DO UPDATE SET used_at = now()
     RETURNING account_id AS "accountId", quota, uses`,
    [quotas.map((each) => each.accountId), quotas.map((each) => each.quota)],
  );
}

/** Writes what was used of held quotas. */
export async function saveQuotas(db: EntityManager, quotas: Quota[]): Promise<void> {
  await db.query(
    `UPDATE verification_quota q SET uses = u.uses
       FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS u(account_id, quota, uses)
      WHERE q.account_id = u.account_id AND q.quota = u.quota`,
    [
      quotas.map((each) => each.accountId),
      quotas.map((each) => each.quota),
      quotas.map((each) => JSON.stringify(each.uses)),
    ],
  );
}
