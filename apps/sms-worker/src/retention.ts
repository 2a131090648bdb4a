import { withAdvisoryLock } from '@signalbox/database/ops/rescue';
import { deleteOldest } from '@signalbox/database/ops/retention';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** How long one sweep goes on at most: what is left then is for the next. */
const SWEEP_MS = 20_000;

/** Deletes what is older than operators want to keep, in small transactions, by one process at a time. */
export class Retention {
  constructor(
    private readonly db: EntityManager,
    private readonly days: number,
    private readonly logger: Logger,
  ) {}

  async sweep(): Promise<void> {
    const endAt = Date.now() + SWEEP_MS;
    let deleted = 0;
    let last = 0;
    do {
      last = (await withAdvisoryLock(this.db, 'retention', (db) => deleteOldest(db, this.days))) ?? 0;
      deleted += last;
    } while (last > 0 && Date.now() < endAt);
    if (deleted > 0) this.logger.info({ deleted, days: this.days }, 'rows.deleted');
  }
}
