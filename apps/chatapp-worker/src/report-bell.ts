import type { Provider } from '@nestjs/common';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';

/** The producing end of the report queue. */
export const REPORTS = Symbol('the producing end of the report queue');
/** Rings for stored reports. */
export const REPORT_BELL = Symbol('rings for stored reports');

export function reportProviders(settings: QueueSettings, logger: Logger): Provider[] {
  const onError = (error: Error): void => logger.warn({ queue: REPORT_QUEUE, error }, 'queue.unreachable');
  return [
    { provide: REPORTS, useFactory: () => openProducer<ReportJob>(REPORT_QUEUE, settings, onError) },
    {
      provide: REPORT_BELL,
      inject: [REPORTS],
      useFactory: (queue: Queue<ReportJob>) => reportBell(queue, logger),
    },
  ];
}

function reportBell(queue: Queue<ReportJob>, logger: Logger): Bell {
  return queueBell(
    queue,
    { maxBatch: REPORT_JOB_WEIGHT, toJob: (reportIds) => ({ reportIds }), close: () => closeProducer(queue) },
    logger,
  );
}
