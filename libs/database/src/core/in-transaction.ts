import type { EntityManager } from 'typeorm';
import { openDataSource } from './data-source.ts';
import { STATEMENT_LIMITS, type SessionKind } from './session-settings.ts';

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
    return await source.transaction(async (db) => {
      if (statements === 'long') await liftLimits(db);
      return work(db);
    });
  } finally {
    await source.destroy();
  }
}

/** Sets the limits for the transaction, too: a pooler drops those that the connection asks for. */
async function liftLimits(db: EntityManager): Promise<void> {
  const { statement, lock, idle } = STATEMENT_LIMITS.long;
  await db.query(
    `SELECT set_config('statement_timeout', $1, true),
            set_config('lock_timeout', $2, true),
            set_config('idle_in_transaction_session_timeout', $3, true)`,
    [statement, lock, idle],
  );
}
