import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { JobData } from '@signalbox/queues/define-queue';
import { CALLBACK_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import { CallbackReader } from './callback-reader.ts';
import { runLogged } from '../worker/run-logged.ts';
import { rowsWork } from '../worker/rows-work.ts';
import { runRows } from '../worker/run-rows.ts';

/**
 * Reads callbacks. A callback is marked in the transaction that stores its contents, so a second run finds it
 * processed.
 */
@Processor(CALLBACK_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 4 })
export class CallbackProcessor extends WorkerHost {
  constructor(
    private readonly reader: CallbackReader,
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const work = rowsWork(
      this.db,
      'callback',
      () => this.worker.closing !== undefined,
      (ids) => this.reader.read(ids),
    );
    return runLogged(this.logger, job, { named: job.data.ids.length }, () => runRows(job, work));
  }
}
