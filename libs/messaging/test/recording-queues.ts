import type { QueueDefinition } from '@signalbox/queues/define-queue';
import type { JobSettings } from '@signalbox/queues/job-queue';
import { Queues } from '@signalbox/queues/open-queues';

/** A job as it was enqueued; the fields that a batch of rows lacks are absent. */
export interface RecordedJob {
  queue: string;
  ids: string[];
  extra?: object;
  delayMs?: number;
}

/** Queues that record what is enqueued, and are never paused. */
export interface RecordingQueues {
  queues: Queues;
  jobs: RecordedJob[];
  /** Ids enqueued to a queue, in order. */
  idsOf: (definition: QueueDefinition) => string[];
}

/**
 * Opens queues that record what is enqueued.
 *
 * @param oldestJobAt returns the time of the oldest job of a queue; now by default
 * @param jobs collects the jobs
 */
export function recordingQueues(
  oldestJobAt: (queue: string) => Date = () => new Date(),
  jobs: RecordedJob[] = [],
): RecordingQueues {
  const get = ({ name: queue }: QueueDefinition) => ({
    name: queue,
    admin: { isPaused: async () => false },
    enqueue: (ids: readonly string[]) => {
      if (ids.length > 0) jobs.push({ queue, ids: [...ids] });
    },
    enqueueJobs: (ids: readonly string[], extra: object, { delayMs = 0 }: JobSettings = {}) => {
      if (ids.length > 0) jobs.push({ queue, ids: [...ids], extra, delayMs });
    },
    oldestJobAt: async () => oldestJobAt(queue),
  });
  const idsOf = ({ name }: QueueDefinition): string[] =>
    jobs.flatMap(({ queue, ids }) => (queue === name ? ids : []));
  return { queues: { get } as unknown as Queues, jobs, idsOf };
}
