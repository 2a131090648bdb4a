import { REPORT_JOB_WEIGHT, type ReportJob } from '@signalbox/queues/report-queue';
import type { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Queue } from 'bullmq';

type DelayedQueue = Pick<Queue<ReportJob>, 'name' | 'add'>;

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

  constructor(queue: DelayedQueue, logger: Logger) {
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

function delayedBell(queue: DelayedQueue, logger: Logger, delay: number): Bell {
  const delayed = {
    name: queue.name,
    add: (name: string, job: ReportJob) => queue.add(name, job, { delay }),
  };
  return queueBell(delayed, { maxBatch: REPORT_JOB_WEIGHT, toJob: (reportIds) => ({ reportIds }) }, logger);
}
