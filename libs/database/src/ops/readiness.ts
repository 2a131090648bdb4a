import type { EntityManager } from 'typeorm';

/**
 * Asks whether the database takes writes. Locks nothing.
 *
 * @throws when the database is unreachable, or read-only (SQLSTATE 25006), as a former primary is
 */
export async function requireWritable(db: EntityManager): Promise<void> {
  await db.query(`
    SELECT
      FROM account
     WHERE false
       FOR UPDATE`);
}
