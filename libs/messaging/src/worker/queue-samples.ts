import { type QueueSample, addQueueSamples } from '@signalbox/database/ops/queue-minutes';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import type { JobQueue } from '@signalbox/queues/job-queue';
import type { Duty } from '../maintenance/duty.ts';
import { type RunCounts, returnRuns, takeRuns } from './run-logged.ts';

const SAMPLE_EVERY_MS = 10_000;

/** Counts the runs and the backlog of the queues of this process by minute. A process that dies loses 10 s of them. */
export function sampleQueues(definitions: readonly QueueDefinition[]): Duty {
  return {
    name: 'sample queues',
    everyMs: SAMPLE_EVERY_MS,
    run: async ({ db, queues }) => {
      const runs = definitions.map(({ name }) => ({ queue: name, ...takeRuns(name) }));
      try {
        const samples = runs.map((each, i) => sampleOf(queues.get(definitions[i]!), each));
        await addQueueSamples(db, await Promise.all(samples));
      } catch (error) {
        for (const { queue, ...counts } of runs) returnRuns(queue, counts);
        throw error;
      }
    },
  };
}

async function sampleOf(queue: JobQueue, runs: RunCounts & { queue: string }): Promise<QueueSample> {
  const known = await queue.countByState('waiting', 'active', 'delayed').catch(() => undefined);
  const { waiting = null, active = null, delayed = null } = known ?? {};
  return { ...runs, waiting, active, delayed };
}
