import type { DefaultJobOptions, WorkerOptions } from 'bullmq';

/**
 * How every worker runs. A job of a worker that died is taken up again within lockDuration + stalledInterval = 13 s, and never
 * given up for having stalled: rows are parked by their own count of starts, in Postgres.
 */
export const WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 3_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 1_000,
  drainDelay: 5,
} satisfies Partial<WorkerOptions>;

/** A job is a bell: it leaves no trace, and one that failed for good is rung for again by a rescuer. */
export const JOB_OPTIONS: DefaultJobOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};
