import { countParked } from '@signalbox/database/ops/rescue';
import type { Logger } from '@signalbox/runtime/logger';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';

const parkedRows = new Gauge({
  name: 'signalbox_parked_rows',
  help: 'Rows given up after too many starts, by table; docs/operations.md tells how to set them free',
  labelNames: ['table'],
});

/** Tells operators of rows that were given up: as a metric, and as an error line when there are more than before. */
export class ParkedWatch {
  private lastTotal = 0;

  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  async look(): Promise<void> {
    const parked = await countParked(this.db);
    for (const [table, count] of Object.entries(parked)) parkedRows.set({ table }, count);
    const total = Object.values(parked).reduce((sum, count) => sum + count, 0);
    if (total > this.lastTotal) this.logger.error({ ...parked }, 'rows.parked');
    this.lastTotal = total;
  }
}
