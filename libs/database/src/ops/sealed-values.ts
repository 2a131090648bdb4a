import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** A sealed value with the row that it is bound to. */
export interface SealedValue {
  table: 'webhook' | 'gateway' | 'app_user';
  /** Null for rows of no account. */
  accountId: string | null;
  id: string;
  sealed: Buffer;
}

const LIST = sql`
  SELECT *
    FROM (
      SELECT 'webhook' AS table, account_id AS "accountId", id, sealed_secret AS sealed
        FROM webhook
       WHERE deleted_at IS NULL
       UNION ALL
      SELECT 'gateway', NULL, id, sealed_secrets
        FROM gateway
       UNION ALL
      SELECT 'app_user', NULL, id, sealed_totp
        FROM app_user
    ) AS value
   WHERE substr(sealed, 1, octet_length($1::bytea)) <> $1::bytea
   ORDER BY random()
   LIMIT 1000`;

/**
 * Lists the secrets of webhooks, credentials of gateways and second factors of users that are sealed otherwise than new
 * ones, at most 1,000 chosen at random: values that cannot be sealed again do not hide the others.
 *
 * @param prefix beginning of new sealed values
 */
export function listOutdatedSeals(db: EntityManager, prefix: Buffer): Promise<SealedValue[]> {
  return db.query(LIST, [prefix]);
}

const UPDATES: Record<SealedValue['table'], string> = {
  webhook: sql`
    UPDATE webhook
       SET sealed_secret = $3
     WHERE id = $1
       AND sealed_secret = $2`,
  gateway: sql`
    UPDATE gateway
       SET sealed_secrets = $3
     WHERE id = $1
       AND sealed_secrets = $2`,
  app_user: sql`
    UPDATE app_user
       SET sealed_totp = $3
     WHERE id = $1
       AND sealed_totp = $2`,
};

/** Replaces a value by the same one sealed with another key, unless it was replaced meanwhile. */
export async function updateSeal(
  db: EntityManager,
  { table, id, sealed }: SealedValue,
  to: Buffer,
): Promise<void> {
  await db.query(UPDATES[table], [id, sealed, to]);
}
