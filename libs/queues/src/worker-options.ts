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

const KEEP_FAILED_SECONDS = 86_400;

/** Maximum number of failed jobs that a queue keeps. */
const KEEP_FAILED_JOBS = 1_000;

/**
 * Jobs are deleted when they succeed. A job that failed at every attempt is kept for a day, to be examined or retried:
 * at most 1,000 of a queue, each with its last error only. The rescue enqueues its rows again meanwhile.
 */
export const JOB_OPTIONS: DefaultJobOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: { age: KEEP_FAILED_SECONDS, count: KEEP_FAILED_JOBS },
  stackTraceLimit: 1,
};
