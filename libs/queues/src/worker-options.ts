import type { DefaultJobOptions, WorkerOptions } from 'bullmq';

/**
 * Options of every worker. A job whose worker died runs again within lockDuration + stalledInterval = 13 s. No job is
 * given up for stalling: rows are parked by their own count of starts, in Postgres.
 */
export const WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 3_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 1_000,
  drainDelay: 5,
} satisfies Partial<WorkerOptions>;

/** Jobs are deleted when they end. A rescue replaces a job that failed permanently. */
export const JOB_OPTIONS: DefaultJobOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};
