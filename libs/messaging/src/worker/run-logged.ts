import { getOrInsert } from '@signalbox/domain/get-or-insert';
import type { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';

/** The fields of a job that its log line shows; BullMQ's Job fits. */
export interface RunningJob {
  id?: string | undefined;
  queueName: string;
  timestamp: number;
  attemptsMade: number;
}

const seconds = new Histogram({
  name: 'signalbox_job_seconds',
  help: 'Run time of jobs, by queue',
  labelNames: ['queue'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const failures = new Counter({
  name: 'signalbox_job_failures_total',
  help: 'Failed runs of jobs, by queue; the queue runs the job again',
  labelNames: ['queue'],
});

/** The jobs of a queue in this process. */
export interface QueueActivity {
  running: number;
  /** When a job last began or ended, by `performance.now()`; 0 before the first. */
  changedAt: number;
}

const activities = new Map<string, QueueActivity>();

/** Returns the activity of a queue, kept up to date. */
export function activityOf(queue: string): QueueActivity {
  return getOrInsert(activities, queue, () => ({ running: 0, changedAt: 0 }));
}

/** Runs of a queue's jobs that ended in this process. */
export interface RunCounts {
  completed: number;
  failed: number;
}

const runs = new Map<string, RunCounts>();

/** Returns the runs of a queue that ended since the last call. */
export function takeRuns(queue: string): RunCounts {
  const counts = runsOf(queue);
  runs.delete(queue);
  return counts;
}

/** Gives back runs that could not be stored, for the next call of `takeRuns`. */
export function returnRuns(queue: string, { completed, failed }: RunCounts): void {
  const counts = runsOf(queue);
  counts.completed += completed;
  counts.failed += failed;
}

function runsOf(queue: string): RunCounts {
  return getOrInsert(runs, queue, () => ({ completed: 0, failed: 0 }));
}

/**
 * Runs a job and logs `job.attempted` at its end, also when it fails.
 *
 * @param about fields of the log line in addition to those that `work` returns
 * @throws what `work` throws, so that the queue runs the job again
 */
export async function runLogged(
  logger: Logger,
  job: RunningJob,
  about: object,
  work: () => Promise<object>,
): Promise<void> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const activity = activityOf(job.queueName);
  activity.running += 1;
  activity.changedAt = startedAt;
  const event = {
    queue: job.queueName,
    jobId: job.id,
    attempt: job.attemptsMade + 1,
    waitedMs: Date.now() - job.timestamp,
    ...about,
  };
  try {
    const result = await work();
    runsOf(job.queueName).completed += 1;
    logger.info({ ...event, outcome: 'done', durationMs: durationMs(), ...result }, 'job.attempted');
  } catch (error) {
    failures.inc({ queue: job.queueName });
    runsOf(job.queueName).failed += 1;
    logger.warn({ ...event, outcome: 'failed', durationMs: durationMs(), error }, 'job.attempted');
    throw error;
  } finally {
    activity.running -= 1;
    activity.changedAt = performance.now();
    seconds.observe({ queue: job.queueName }, (performance.now() - startedAt) / 1000);
  }
}
