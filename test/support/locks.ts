import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { EntityManager } from 'typeorm';

/** Resolves when a statement on the database waits for a lock. */
export function untilOneWaits(db: EntityManager): Promise<void> {
  return waitFor(
    async () => {
      const waiting: unknown[] = await db.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    },
    { otherwise: 'no statement waits for a lock' },
  );
}

/**
 * Locks row 2 of three, runs a statement about all of them, and returns the rows that are locked while it waits.
 *
 * @param row the table and the condition of row n, as `message WHERE n = 1`
 */
export async function lockedBehind(
  db: EntityManager,
  row: (n: number) => string,
  run: (db: EntityManager) => Promise<unknown>,
): Promise<number[]> {
  const blocker = db.connection.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query(`SELECT FROM ${row(2)} FOR UPDATE`);
  const running = db.transaction(run);
  try {
    await untilOneWaits(db);
    const locked: number[] = [];
    for (const n of [1, 2, 3]) if (await isLocked(db, row(n))) locked.push(n);
    return locked;
  } finally {
    await blocker.commitTransaction();
    await blocker.release();
    await running;
  }
}

async function isLocked(db: EntityManager, row: string): Promise<boolean> {
  const free: unknown[] = await db.query(`SELECT FROM ${row} FOR UPDATE SKIP LOCKED`);
  return free.length === 0;
}
