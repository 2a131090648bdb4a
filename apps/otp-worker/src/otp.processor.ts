import { Processor, WorkerHost } from '@nestjs/bullmq';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import { rowsWork } from '@signalbox/messaging/worker/rows-work';
import { runRows } from '@signalbox/messaging/worker/run-rows';
import type { JobData } from '@signalbox/queues/define-queue';
import { OTP_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import { OtpMaker } from './otp.maker.ts';

/** Generates the codes of a job's verifications. A job that runs again skips verifications that have their code. */
@Processor(OTP_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 16 })
export class OtpProcessor extends WorkerHost {
  constructor(
    private readonly maker: OtpMaker,
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const work = rowsWork(
      this.db,
      'verification',
      () => this.worker.closing !== undefined,
      (ids) => this.maker.make(ids),
    );
    return runLogged(this.logger, job, { verifications: job.data.ids.length }, () => runRows(job, work));
  }
}
