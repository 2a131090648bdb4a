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
