import type { QueryRunner } from 'typeorm';

/** Indexes as [name, table and columns with the predicate]. */
type Indexes = readonly (readonly [name: string, definition: string])[];

/**
 * Builds indexes while the service runs, which no transaction allows. One whose build was interrupted is built again. A
 * build waits for all running transactions, and nothing queues behind that wait.
 */
export async function buildIndexes(runner: QueryRunner, indexes: Indexes): Promise<void> {
  await runner.query('SET lock_timeout = 0');
  for (const [name, definition] of indexes) {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
  await runner.query('RESET lock_timeout');
}

/** Drops indexes while the service runs. */
export async function dropIndexes(runner: QueryRunner, indexes: Indexes): Promise<void> {
  await runner.query('SET lock_timeout = 0');
  for (const [name] of indexes) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await runner.query('RESET lock_timeout');
}
