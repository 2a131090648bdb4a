import type { EntityManager } from 'typeorm';

/** Counts the pages that the statements of an operation read, of tables and indexes. Each statement runs twice. */
export async function countPages(
  db: EntityManager,
  run: (counted: EntityManager) => Promise<unknown>,
): Promise<number> {
  let pages = 0;
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    if (text.startsWith('SET ')) return db.query(text);
    const [explained] = await db.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const [{ Plan: plan }] = explained['QUERY PLAN'];
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    return db.query(text, values);
  };
  await run({ query } as EntityManager);
  return pages;
}
