import { openDataSource } from '@signalbox/database/core/data-source';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { ApiUnderTest } from './api-under-test.ts';

/** Holds locks in the database of an API, and sees who waits for them. */
export function locksOf(t: Pick<ApiUnderTest, 'db' | 'p'>) {
  /** Counts the statements of an application that wait for a lock. */
  async function countWaiting(application: string): Promise<number> {
    const [row] = (await t.db.query(
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
        WHERE application_name = $1 AND wait_event_type = 'Lock' AND datname = current_database()`,
      [application],
    )) as [{ waiting: number }];
    return row.waiting;
  }

  /** Resolves when `count` statements of an application wait for a lock. */
  async function untilWaiting(application: string, count: number): Promise<void> {
    // more while an export of an earlier test still ends
    const isReached = async (): Promise<boolean> => (await countWaiting(application)) >= count;
    await waitFor(isReached, { otherwise: 'a statement did not wait' });
  }

  return {
    lockRows: (statement: string) => lockRows(t.p.databaseUrl, statement),
    untilWaiting,
    countWaiting,
  };
}

/** Runs a statement in a transaction, which ends with `release`. */
async function lockRows(
  url: string,
  statement: string,
): Promise<AsyncDisposable & { release: () => Promise<void> }> {
  const source = await openDataSource({ url, applicationName: 'lock', poolSize: 1, commit: 'durable' });
  const locked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const transaction = source.transaction(async (db) => {
    await db.query(statement);
    locked.resolve();
    await done.promise;
  });
  const release = async (): Promise<void> => {
    done.resolve();
    await transaction;
  };
  await locked.promise;
  return {
    release,
    [Symbol.asyncDispose]: async () => {
      await release();
      await source.destroy();
    },
  };
}
