import type { EntityManager } from 'typeorm';
import { openDataSource } from './data-source.ts';

export type { EntityManager };

/** Opens a connection for one transaction of a tool. Rolls back when `work` throws. */
export async function inTransaction<Result>(
  databaseUrl: string,
  applicationName: string,
  work: (db: EntityManager) => Promise<Result>,
): Promise<Result> {
  const source = await openDataSource({ url: databaseUrl, applicationName, poolSize: 1, commit: 'durable' });
  try {
    return await source.transaction(work);
  } finally {
    await source.destroy();
  }
}
