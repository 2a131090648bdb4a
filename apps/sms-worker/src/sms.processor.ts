import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Lane } from '@signalbox/domain/lane';
import { SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { SmsLanes } from './sms.lanes.ts';

const OPTIONS = { ...WORKER_OPTIONS, concurrency: 16 };

/** Serves the lane of one-time passwords. A job names submissions; running it again only finds less to do. */
@Processor(SMS_QUEUE.OTP, OPTIONS)
export class OtpLaneProcessor extends WorkerHost {
  constructor(
    private readonly lanes: SmsLanes,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<SmsJob>): Promise<void> {
    return run(this.lanes, this.jobs, 'OTP', job);
  }
}

/** Serves the lane of transactional messages. */
@Processor(SMS_QUEUE.TRANS, OPTIONS)
export class TransLaneProcessor extends WorkerHost {
  constructor(
    private readonly lanes: SmsLanes,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<SmsJob>): Promise<void> {
    return run(this.lanes, this.jobs, 'TRANS', job);
  }
}

/** Serves the lane of promotions. */
@Processor(SMS_QUEUE.PROMO, OPTIONS)
export class PromoLaneProcessor extends WorkerHost {
  constructor(
    private readonly lanes: SmsLanes,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<SmsJob>): Promise<void> {
    return run(this.lanes, this.jobs, 'PROMO', job);
  }
}

function run(lanes: SmsLanes, jobs: LoggedJobs, lane: Lane, job: Job<SmsJob>): Promise<void> {
  const waitedMs = Date.now() - job.timestamp;
  return jobs.run(job, { submissions: job.data.submissionIds.length }, () =>
    lanes.run(lane, job.data, waitedMs),
  );
}
