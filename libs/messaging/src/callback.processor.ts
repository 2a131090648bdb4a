import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { JobData } from '@signalbox/queues/define-queue';
import { CALLBACK_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { CallbackReader } from './callback-reader.ts';
import { runLogged } from './worker/run-logged.ts';

/** Reads callbacks. A callback is marked in the transaction that stores its contents, so a second run finds it processed. */
@Processor(CALLBACK_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 4 })
export class CallbackProcessor extends WorkerHost {
  constructor(
    private readonly reader: CallbackReader,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const { ids } = job.data;
    return runLogged(this.logger, job, { named: ids.length }, () => this.reader.read(ids));
  }
}
