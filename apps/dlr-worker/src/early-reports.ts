import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';

/** How long until the next look: most overtake one another by a moment, and a gateway that never tells a status must not cost many looks. */
const DELAYS_MS = [100, 400, 1_600] as const;

/** A report that came before the status that it follows, so long ago. */
export interface EarlyReport {
  reportId: string;
  ageMs: number;
}

/** Rings again for reports that came too early: soon for those that have just come, later for the others. */
export class EarlyReports {
  private readonly bells: ReadonlyMap<number, Bell>;

  constructor(queue: Pick<Queue<ReportJob>, 'add'>, logger: Logger) {
    this.bells = new Map(DELAYS_MS.map((delayMs) => [delayMs, delayedBell(queue, logger, delayMs)]));
  }

  ring(early: readonly EarlyReport[]): void {
    for (const { reportId, ageMs } of early) {
      const delayMs = DELAYS_MS.find((delay) => ageMs < delay) ?? DELAYS_MS.at(-1)!;
      this.bells.get(delayMs)!.ring([reportId]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.bells.values()].map((bell) => bell.close()));
  }
}

function delayedBell(queue: Pick<Queue<ReportJob>, 'add'>, logger: Logger, delay: number): Bell {
  return new Bell({
    enqueue: (reportIds) => queue.add(REPORT_QUEUE, { reportIds }, { delay }),
    maxBatch: REPORT_JOB_WEIGHT,
    onLost: (error, ids) => logger.warn({ queue: REPORT_QUEUE, count: ids.length, error }, 'bell.lost'),
  });
}
