import { Processor, WorkerHost } from '@nestjs/bullmq';
import { OTP_QUEUE, type OtpJob } from '@signalbox/queues/otp-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { OtpMaker } from './otp.maker.ts';

/** Makes codes. A job names verifications; running it again finds that they have theirs. */
@Processor(OTP_QUEUE, { ...WORKER_OPTIONS, concurrency: 16 })
export class OtpProcessor extends WorkerHost {
  constructor(
    private readonly maker: OtpMaker,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<OtpJob>): Promise<void> {
    return this.jobs.run(job, { verifications: job.data.verifyIds.length }, () =>
      this.maker.run(job.data.verifyIds),
    );
  }
}
