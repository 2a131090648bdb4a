import type { PushKey } from '@signalbox/database/pushes';
import { listLostPushes, rescueAlone, takeLostReports } from '@signalbox/database/rescue';
import { oldestJobAt } from '@signalbox/queues/producer';
import { PUSH_RETRY_QUEUE, type PushRetryJob } from '@signalbox/queues/push-retry-queue';
import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

const PUSHES_PER_JOB = 100;

/** Rings again for reports and pushes whose job was lost. Ringing too often does no harm. */
export class DlrRescuer {
  constructor(
    private readonly db: EntityManager,
    private readonly reports: Queue<ReportJob>,
    private readonly retries: Queue<PushRetryJob>,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const lost = await rescueAlone(this.db, 'dlr', async (db) => ({
      reportIds: await takeLostReports(db, await oldestJobAt(this.reports)),
      pushes: await listLostPushes(db, await oldestJobAt(this.retries)),
    }));
    // The rows are free again before anything is rung, so that a queue that hangs holds up no worker.
    if (lost) await this.ring(lost.reportIds, lost.pushes);
  }

  private async ring(reportIds: string[], pushes: PushKey[]): Promise<void> {
    if (reportIds.length > 0) {
      this.logger.warn({ count: reportIds.length }, 'report.rescued');
      await this.reports.addBulk(chunks(reportIds, REPORT_JOB_WEIGHT).map((ids) => ({ name: REPORT_QUEUE, data: { reportIds: ids } })));
    }
    if (pushes.length > 0) {
      this.logger.warn({ count: pushes.length }, 'push.rescued');
      await this.retries.addBulk(chunks(pushes, PUSHES_PER_JOB).map((keys) => ({ name: PUSH_RETRY_QUEUE, data: { pushes: keys } })));
    }
  }
}

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
