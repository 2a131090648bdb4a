import { Counter, Histogram } from 'prom-client';
import type { Logger } from './logger.ts';

/** What is told of a job; BullMQ's Job fits. */
export interface RunningJob {
  id?: string | undefined;
  queueName: string;
  timestamp: number;
  attemptsMade: number;
}

const seconds = new Histogram({
  name: 'signalbox_job_seconds',
  help: 'How long jobs ran, by queue',
  labelNames: ['queue'],
  registers: [], // shown by @signalbox/messaging
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const failures = new Counter({
  name: 'signalbox_job_failures_total',
  help: 'Runs of jobs that failed and come again, by queue',
  labelNames: ['queue'],
  registers: [], // shown by @signalbox/messaging
});

/** Runs jobs, and writes one line for each at its end: `job.attempted`, also when it failed. */
export class LoggedJobs {
  constructor(private readonly logger: Logger) {}

  /**
   * @param about told beside the job, with what `work` returns
   * @throws what `work` throws, so that the queue runs the job again
   */
  async run(job: RunningJob, about: object, work: () => Promise<object>): Promise<void> {
    const startedAt = Date.now();
    const event = {
      queue: job.queueName,
      jobId: job.id,
      attempt: job.attemptsMade + 1,
      waitedMs: startedAt - job.timestamp,
      ...about,
    };
    try {
      const result = await work();
      this.logger.info(
        { ...event, outcome: 'done', durationMs: Date.now() - startedAt, ...result },
        'job.attempted',
      );
    } catch (error) {
      failures.inc({ queue: job.queueName });
      this.logger.warn(
        { ...event, outcome: 'failed', durationMs: Date.now() - startedAt, error },
        'job.attempted',
      );
      throw error;
    } finally {
      seconds.observe({ queue: job.queueName }, (Date.now() - startedAt) / 1000);
    }
  }
}
