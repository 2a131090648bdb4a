import { Processor, WorkerHost } from '@nestjs/bullmq';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import type { JobData } from '@signalbox/queues/define-queue';
import { OTP_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { OtpMaker } from './otp.maker.ts';

/** Generates the codes of a job's verifications. A job that runs again skips verifications that have their code. */
@Processor(OTP_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 16 })
export class OtpProcessor extends WorkerHost {
  constructor(
    private readonly maker: OtpMaker,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const { ids } = job.data;
    return runLogged(this.logger, job, { verifications: ids.length }, () => this.maker.make(ids));
  }
}
