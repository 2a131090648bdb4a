import type { EntityManager } from 'typeorm';

/** Runs an UPDATE or DELETE and returns what it returns of its rows. */
export async function returning<Row>(
  db: EntityManager,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const [rows] = await queryChanged<Row>(db, statement, values);
  return rows;
}

/** Runs an UPDATE or DELETE and returns the number of its rows. */
export async function countChanged(
  db: EntityManager,
  statement: string,
  values: unknown[] = [],
): Promise<number> {
  const [, count] = await queryChanged(db, statement, values);
  return count;
}

/** TypeORM adds the number of rows to the result of these two, and to no other; its type does not say so. */
function queryChanged<Row>(
  db: EntityManager,
  statement: string,
  values: unknown[],
): Promise<[Row[], number]> {
  return db.query<[Row[], number]>(statement, values);
}
