import { withTimeout } from '@signalbox/runtime/with-timeout';
import type { Job, Queue } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { type RedisInfo, readRedisInfo } from './redis-info.ts';

/** States of the jobs that a queue keeps. A job that succeeded is deleted. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States whose jobs may be removed. */
export const REMOVABLE_STATES = ['waiting', 'delayed', 'failed'] as const;
export type RemovableState = (typeof REMOVABLE_STATES)[number];

/** Numbers of a queue at one moment. */
export interface QueueState extends Record<JobState, number> {
  isPaused: boolean;
  /** When the oldest waiting or active job was enqueued; null when there is none. */
  oldestJobAt: Date | null;
}

/** A job as it is shown. */
export interface QueuedJob {
  id: string;
  /** Ids of the rows that the job names. */
  rows: string[];
  attempts: number;
  enqueuedAt: Date;
  /** When the job runs; null for one that is not delayed. */
  dueAt: Date | null;
  /** When its last run began; null before the first. */
  startedAt: Date | null;
  /** Message of the error of its last run; null when none failed. */
  error: string | null;
}

/** Facts about a Redis. */
export interface RedisFacts {
  version: string | null;
  usedBytes: number;
  /** Null without a limit. */
  maxBytes: number | null;
  /** True when it may delete jobs to make room. */
  mayEvict: boolean;
}

/** Jobs that one command removes or moves, so that none keeps Redis busy for more than some milliseconds. */
const BATCH = 1_000;

/** Jobs that are enqueued again together, each by its own command. */
const RETRY_BATCH = 200;

/** Maximum number of jobs of one removal or retry. */
export const MAX_JOBS = 200_000;

/** An unreachable Redis may leave a command without an answer. */
const TIMEOUT_MS = 2_000;

/** Shows the jobs of one queue, and acts on them. Every method throws when the queue does not answer within 2 s. */
export class QueueAdmin {
  constructor(private readonly queue: Queue) {}

  get name(): string {
    return this.queue.name;
  }

  /** Counts the jobs of each state. Costs the same for any number of jobs. */
  async state(): Promise<QueueState> {
    const [counts, isPaused, oldestJobAt] = await this.answer(
      Promise.all([this.queue.getJobCounts(...JOB_STATES), this.queue.isPaused(), this.oldestJobAt()]),
    );
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return { waiting, active, delayed, failed, isPaused, oldestJobAt };
  }

  /** Returns when the oldest waiting or active job was enqueued; null when there is none. */
  async oldestJobAt(): Promise<Date | null> {
    const oldest = [this.queue.getJobs('active', 0, 0, true), this.queue.getJobs('waiting', 0, 0, true)];
    const jobs = (await this.answer(Promise.all(oldest))).flat();
    const times = jobs.flatMap((job: Job | undefined) => (job ? [job.timestamp] : []));
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  /** Lists jobs of a state: the next to run first, failed ones newest first. Others may come and go between pages. */
  async listJobs(state: JobState, from: number, limit: number): Promise<QueuedJob[]> {
    const isOldestFirst = state !== 'failed';
    const jobs = await this.answer(this.queue.getJobs(state, from, from + limit - 1, isOldestFirst));
    return jobs.flatMap((job: Job | undefined) => (job ? [shownJob(job)] : []));
  }

  isPaused(): Promise<boolean> {
    return this.answer(this.queue.isPaused());
  }

  /** Lets no worker take a job, until `resume`. Jobs in progress end. */
  pause(): Promise<void> {
    return this.answer(this.queue.pause());
  }

  resume(): Promise<void> {
    return this.answer(this.queue.resume());
  }

  /** Enqueues failed jobs again, the oldest first. @returns the number of enqueued jobs */
  async retryFailed(limit = MAX_JOBS): Promise<number> {
    let count = 0;
    while (count < limit) {
      const size = Math.min(RETRY_BATCH, limit - count);
      const jobs: (Job | undefined)[] = await this.answer(this.queue.getJobs('failed', 0, size - 1, true));
      const retries = await this.answer(
        Promise.allSettled(jobs.flatMap((job) => (job ? [job.retry('failed')] : []))),
      );
      const retried = retries.filter(({ status }) => status === 'fulfilled').length;
      count += retried;
      if (jobs.length < size || retried === 0) break;
    }
    return count;
  }

  /** Removes the jobs of a state. Jobs in progress stay. @returns the number of removed jobs */
  async remove(state: RemovableState, limit = MAX_JOBS): Promise<number> {
    let count = 0;
    while (count < limit) {
      const size = Math.min(BATCH, limit - count);
      const removed = await this.answer(this.queue.clean(0, size, state === 'waiting' ? 'wait' : state));
      count += removed.length;
      if (removed.length < size) break;
    }
    return count;
  }

  /** Asks the Redis of the queue about itself. Sums the primaries of a Cluster. @throws also for a queue on Postgres */
  async serverFacts(): Promise<RedisFacts> {
    const client = await this.answer(this.queue.getBackend().client);
    const infos = await this.answer(readRedisInfo(client as unknown as Redis | Cluster));
    const sum = (name: string): number => infos.reduce((total, info) => total + Number(info[name]), 0);
    const isLimited = infos.every(({ maxmemory }) => Number(maxmemory) > 0);
    return {
      version: infos[0]['redis_version'] ?? null,
      usedBytes: sum('used_memory'),
      maxBytes: isLimited ? sum('maxmemory') : null,
      mayEvict: infos.some(mayEvict),
    };
  }

  private answer<R>(work: Promise<R>): Promise<R> {
    return withTimeout(work, TIMEOUT_MS, `queue ${this.name}`);
  }
}

function mayEvict({ maxmemory, maxmemory_policy: policy }: RedisInfo): boolean {
  return Number(maxmemory) > 0 && policy !== 'noeviction';
}

function shownJob(job: Job): QueuedJob {
  const { ids } = job.data as { ids?: unknown };
  return {
    id: job.id ?? '',
    rows: Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
    attempts: job.attemptsMade,
    enqueuedAt: new Date(job.timestamp),
    dueAt: job.delay > 0 ? new Date(job.timestamp + job.delay) : null,
    startedAt: job.processedOn === undefined ? null : new Date(job.processedOn),
    error: job.failedReason ?? null,
  };
}
