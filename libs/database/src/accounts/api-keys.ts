import type { EntityManager } from 'typeorm';

/** The account and the rights of an API key. */
export interface KeyHolder {
  hash: Buffer;
  keyId: string;
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
    `SELECT k.hash, k.id AS "keyId", a.id AS "accountId", a.status AS "accountStatus", k.scopes,
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
