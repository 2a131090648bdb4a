import type { EntityManager } from 'typeorm';

/** Lists the accounts with a limited rate of SMS, with their SMS per second: 0 for one that an operator paused. */
export async function listPacedAccounts(db: EntityManager): Promise<Map<string, number>> {
  const rows: { id: string; perSecond: number }[] = await db.query(
    `SELECT id, CASE WHEN paused_at IS NULL THEN sms_per_second ELSE 0 END AS "perSecond"
       FROM account
      WHERE sms_per_second IS NOT NULL
         OR paused_at IS NOT NULL`,
  );
  return new Map(rows.map(({ id, perSecond }) => [id, perSecond]));
}

/**
 * Locks accounts until the transaction ends, in the order of their ids, so that two changes of the same ones never
 * deadlock. Changes of the users of an account wait for each other; rows that reference the account do not.
 */
export async function lockAccounts(db: EntityManager, ids: readonly string[]): Promise<void> {
  await db.query(
    `SELECT 1
       FROM account
      WHERE id = ANY($1)
      ORDER BY id
        FOR NO KEY UPDATE`,
    [ids],
  );
}

/** Returns those of these ids that no account has. */
export async function listUnknownAccounts(db: EntityManager, ids: readonly string[]): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `SELECT id
       FROM unnest($1::uuid[]) AS given(id)
      WHERE NOT EXISTS (SELECT FROM account a WHERE a.id = given.id)`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Lists the accounts of this name, and the account of this id. */
export function findAccountsNamed(
  db: EntityManager,
  nameOrId: string,
): Promise<{ id: string; name: string }[]> {
  return db.query(
    `SELECT id, name
       FROM account
      WHERE name = $1
         OR id::text = $1
      ORDER BY id`,
    [nameOrId],
  );
}
