import { Processor, WorkerHost } from '@nestjs/bullmq';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import type { JobData } from '@signalbox/queues/define-queue';
import { CHAT_SIMULATOR_QUEUE, type ChatSimulatorJob } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { SimulatedProvider } from './simulated.provider.ts';

/**
 * Makes the callbacks of the simulated provider. A second run calls back again, as providers do, and changes nothing.
 */
@Processor(CHAT_SIMULATOR_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 8 })
export class SimulatedProviderProcessor extends WorkerHost {
  constructor(
    private readonly provider: SimulatedProvider,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData<ChatSimulatorJob>>): Promise<void> {
    const { script, step, ids: messageIds } = job.data;
    return runLogged(this.logger, job, { script, step, messages: messageIds.length }, () =>
      this.provider.run({ script, step, messageIds }),
    );
  }
}
