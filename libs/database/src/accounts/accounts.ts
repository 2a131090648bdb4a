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

/** Locks an account until the transaction ends: changes of its users wait for each other. */
export async function lockAccount(db: EntityManager, id: string): Promise<void> {
  await db.query(`SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE`, [id]);
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
