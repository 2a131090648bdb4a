import { Processor, WorkerHost } from '@nestjs/bullmq';
import { CHAT_SIMULATOR_QUEUE, type ChatSimulatorJob } from '@signalbox/queues/chat-simulator-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { SimulatedProvider } from './simulated.provider.ts';

/** Lets the simulated provider call back. A job that runs again calls back again, as providers do, which changes nothing. */
@Processor(CHAT_SIMULATOR_QUEUE, { ...WORKER_OPTIONS, concurrency: 8 })
export class SimulatedProviderProcessor extends WorkerHost {
  constructor(
    private readonly provider: SimulatedProvider,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<ChatSimulatorJob>): Promise<void> {
    const { script, step, messageIds } = job.data;
    return this.jobs.run(job, { script, step, messages: messageIds.length }, () =>
      this.provider.run(job.data),
    );
  }
}
