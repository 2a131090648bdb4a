import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import type { Lane } from '@signalbox/domain/lane';
import type { JobData } from '@signalbox/queues/define-queue';
import { LANE_QUEUES, type LaneJob } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { Lanes } from './lanes.ts';
import { runLogged } from '../worker/run-logged.ts';

/** Makes the processor of a lane. A job names submissions; a second run of it finds only what is left. */
export function laneProcessor(lane: Lane, concurrency: number): Type<WorkerHost> {
  @Processor(LANE_QUEUES[lane].name, { ...WORKER_OPTIONS, concurrency })
  class LaneProcessor extends WorkerHost {
    constructor(
      private readonly lanes: Lanes,
      private readonly logger: Logger,
    ) {
      super();
    }

    process(job: Job<JobData<LaneJob>>): Promise<void> {
      const waitedMs = Date.now() - job.timestamp;
      const about = { submissions: job.data.ids.length };
      return runLogged(this.logger, job, about, () => this.lanes.serve(lane, job.data, waitedMs));
    }
  }
  return LaneProcessor;
}
