import type { EntityManager } from 'typeorm';
import { openDataSource } from './data-source.ts';
import type { SessionKind } from './session-settings.ts';

export type { EntityManager };

/**
 * Opens a connection for one transaction of a tool. Rolls back when `work` throws.
 *
 * @param statements `long` for statements that read whole tables
 */
export async function inTransaction<Result>(
  databaseUrl: string,
  applicationName: string,
  work: (db: EntityManager) => Promise<Result>,
  statements: SessionKind['statements'] = 'bounded',
): Promise<Result> {
  const source = await openDataSource({
    url: databaseUrl,
    applicationName,
    poolSize: 1,
    commit: 'durable',
    statements,
  });
  try {
    return await source.transaction(work);
  } finally {
    await source.destroy();
  }
}
