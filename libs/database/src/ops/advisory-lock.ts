import type { EntityManager } from 'typeorm';

/**
 * Runs a pass in a transaction, unless another process runs one of the same name.
 *
 * @returns undefined when another process does
 */
export function withAdvisoryLock<R>(
  db: EntityManager,
  name: string,
  pass: (db: EntityManager) => Promise<R>,
): Promise<R | undefined> {
  return db.transaction(async (transaction) => {
    const [lock]: { taken: boolean }[] = await transaction.query(
      `SELECT pg_try_advisory_xact_lock(hashtext('signalbox rescue'), hashtext($1)) AS taken`,
      [name],
    );
    return lock?.taken ? pass(transaction) : undefined;
  });
}
