import type { EntityManager } from 'typeorm';

/**
 * Number of an account's webhooks. Locks the account until the transaction ends, so that concurrent creations count one after the
 * other. The lock does not block rows that reference the account, such as messages.
 */
export async function countWebhooks(db: EntityManager, accountId: string): Promise<number> {
  await db.query(`SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE`, [accountId]);
  const [row] = (await db.query(
    `SELECT count(*)::integer AS count FROM webhook WHERE account_id = $1 AND deleted_at IS NULL`,
    [accountId],
  )) as [{ count: number }];
  return row.count;
}
