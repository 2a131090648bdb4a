import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

const INSERT = sql`
  INSERT INTO secrets_key (id)
  SELECT $1::bytea
   WHERE NOT EXISTS (SELECT FROM secrets_key)
      OR EXISTS (SELECT FROM secrets_key WHERE id = ANY ($2::bytea[]))
  ON CONFLICT ON CONSTRAINT secrets_key_pkey DO NOTHING`;

const FIND = sql`
  SELECT id
    FROM secrets_key
   WHERE id = $1`;

/**
 * Records that values are sealed with a key. The first key of a database is accepted, and a later one when it comes
 * with a key that is known. To be called in a transaction: it waits for others that start.
 *
 * @param id the first 4 bytes of sealed values
 * @param oldIds those of the keys that only open
 * @returns false when values may have been sealed with keys that are all missing here
 */
export async function acceptSecretsKey(
  db: EntityManager,
  id: Buffer,
  oldIds: readonly Buffer[],
): Promise<boolean> {
  await db.query('LOCK TABLE secrets_key IN SHARE ROW EXCLUSIVE MODE');
  await db.query(INSERT, [id, oldIds]);
  const found: { id: Buffer }[] = await db.query(FIND, [id]);
  return found.length > 0;
}
