import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { ChatLane } from '@signalbox/domain/lane';
import { CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { ChatappLanes } from './chatapp.lanes.ts';

const OPTIONS = { ...WORKER_OPTIONS, concurrency: 8 };

/** Serves the lane of templates that carry a code. A job names submissions; running it again only finds less to do. */
@Processor(CHATAPP_QUEUE.CHAT_OTP, OPTIONS)
export class ChatOtpLaneProcessor extends WorkerHost {
  constructor(
    private readonly lanes: ChatappLanes,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<ChatappJob>): Promise<void> {
    return run(this.lanes, this.jobs, 'CHAT_OTP', job);
  }
}

/** Serves the lane of all other messages. */
@Processor(CHATAPP_QUEUE.CHAT, OPTIONS)
export class ChatLaneProcessor extends WorkerHost {
  constructor(
    private readonly lanes: ChatappLanes,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<ChatappJob>): Promise<void> {
    return run(this.lanes, this.jobs, 'CHAT', job);
  }
}

function run(lanes: ChatappLanes, jobs: LoggedJobs, lane: ChatLane, job: Job<ChatappJob>): Promise<void> {
  return jobs.run(job, { submissions: job.data.submissionIds.length }, () => lanes.run(lane, job.data));
}
