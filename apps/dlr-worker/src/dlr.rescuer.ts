import { withAdvisoryLock, claimLostReports } from '@signalbox/database/ops/rescue';
import { oldestJobAt } from '@signalbox/queues/producer';
import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

/** Rings again for reports whose job was lost. Ringing too often does no harm. */
export class DlrRescuer {
  constructor(
    private readonly db: EntityManager,
    private readonly reports: Queue<ReportJob>,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const lost = await withAdvisoryLock(this.db, 'dlr', async (db) =>
      claimLostReports(db, await oldestJobAt(this.reports)),
    );
    // The rows are free again before anything is rung, so that a queue that hangs holds up no worker.
    if (lost) await this.ring(lost);
  }

  private async ring(reportIds: string[]): Promise<void> {
    if (reportIds.length === 0) return;
    this.logger.warn({ count: reportIds.length }, 'report.rescued');
    await this.reports.addBulk(
      chunks(reportIds, REPORT_JOB_WEIGHT).map((ids) => ({ name: REPORT_QUEUE, data: { reportIds: ids } })),
    );
  }
}

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
