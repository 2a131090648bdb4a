import type { Provider } from '@nestjs/common';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';

/** Rings for stored reports. */
export const REPORT_BELL = Symbol('rings for stored reports');

export function reportBell(settings: QueueSettings, logger: Logger): Provider {
  return {
    provide: REPORT_BELL,
    useFactory: async () => {
      const queue = await openProducer<ReportJob>(REPORT_QUEUE, settings, (error) => logger.warn({ error }, 'queue.unreachable'));
      return new Bell({
        enqueue: (reportIds) => queue.add(REPORT_QUEUE, { reportIds }),
        maxBatch: REPORT_JOB_WEIGHT,
        onLost: (error, ids) => logger.warn({ queue: REPORT_QUEUE, count: ids.length, error }, 'bell.lost'),
        close: () => closeProducer(queue),
      });
    },
  };
}
