import { setTimeout } from 'node:timers/promises';
import { batchObserver } from '@signalbox/runtime/batch-metrics';
import type { Logger } from '@signalbox/runtime/logger';
import { reasonOf } from '@signalbox/runtime/reason-of';
import { withTimeout } from '@signalbox/runtime/with-timeout';
import { Queue, RedisQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { JobData, QueueDefinition } from './define-queue.ts';
import { JobBatcher } from './job-batcher.ts';
import { LostJobLog } from './lost-job-log.ts';
import { QueueAdmin } from './queue-admin.ts';
import { type QueueSettings, producerConnection } from './queue-connection.ts';
import { readRedisInfo } from './redis-info.ts';
import { JOB_OPTIONS } from './worker-options.ts';

/**
 * Stands for the oldest job of an empty queue: later than every row, so that every row counts as one without a job,
 * also when clocks differ.
 */
const NO_JOB_AT = new Date('9999-12-31T00:00:00Z');

/** Milliseconds that a starting process waits for its queue before it continues without. */
const READY_TIMEOUT_MS = 2_000;

/** Milliseconds for a queue to take the end of a connection. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Milliseconds for a queue to count its jobs: without Redis a command waits until it is back. */
const COUNT_TIMEOUT_MS = 1_000;

/** Settings of a job that is not batched. */
export interface JobSettings {
  /** Milliseconds until the job may run; 0 by default. */
  delayMs?: number;
}

/**
 * Milliseconds in which a queue that can be reached answers: less than those after which a probe of an outage is given
 * up, so that its line has the reason.
 */
const REACH_TIMEOUT_MS = 1_500;

/** Milliseconds for which a failed connection says why a queue does not answer: it is tried again within a second. */
const REASON_MS = 5_000;

/** The connection of a queue. */
interface Connection {
  /** Its last failure. */
  error: Error | undefined;
  /** When it failed (`performance.now()`). */
  failedAt: number;
}

/** The producing end of one queue: batches row ids into jobs, and logs jobs that are lost. */
export class JobQueue<Extra extends object = object> {
  /** Shows the jobs of the queue, and acts on them. */
  readonly admin: QueueAdmin;
  private readonly batcher: JobBatcher;
  private readonly lost: LostJobLog;

  private constructor(
    readonly definition: QueueDefinition<Extra>,
    private readonly queue: Queue,
    private readonly logger: Logger,
    private readonly connection: Connection,
  ) {
    this.admin = new QueueAdmin(queue);
    this.lost = new LostJobLog((count, error, lastAt) =>
      logger.warn({ queue: this.name, count, lastAt, error }, 'enqueue.failed'),
    );
    const observe = batchObserver(`enqueue ${definition.name}`);
    this.batcher = new JobBatcher({
      add: (ids) => {
        observe(ids.length);
        return queue.add(definition.name, { ids });
      },
      maxWeight: definition.maxWeight,
      isUrgent: definition.isUrgent ?? false,
      wakesRounds: definition.wakesRounds ?? false,
      onFailed: (error, ids) => this.lost.note(error, ids.length),
    });
  }

  /**
   * Connects, for at most two seconds. While the queue is unreachable, jobs are lost and logged as `enqueue.failed`.
   */
  static async open<Extra extends object>(
    definition: QueueDefinition<Extra>,
    settings: QueueSettings,
    logger: Logger,
  ): Promise<JobQueue<Extra>> {
    const queue = new Queue(definition.name, {
      ...producerConnection(settings),
      defaultJobOptions: { ...JOB_OPTIONS, ...retryOptions(definition) },
      streams: { events: { maxLen: 0 } },
    });
    const connection: Connection = { error: undefined, failedAt: 0 };
    const note = (error: Error): void => {
      Object.assign(connection, { error, failedAt: performance.now() });
      logger.warn({ queue: definition.name, error }, 'queue.unreachable');
    };
    queue.on('error', note);
    // a queue on Postgres rejects without an event
    const ready = queue.waitUntilReady().catch((error: Error) => void (connection.error ?? note(error)));
    await Promise.race([ready, setTimeout(READY_TIMEOUT_MS, undefined, { ref: false })]);
    return new JobQueue(definition, queue, logger, connection);
  }

  get name(): string {
    return this.definition.name;
  }

  /** The queue of BullMQ itself, for bull-board. */
  get bullQueue(): Queue {
    return this.queue;
  }

  /** Adds rows to the next job. Never throws and never waits; a row weighs 1 by default. */
  enqueue(ids: readonly string[], weight = 1): void {
    this.batcher.enqueue(ids, weight);
  }

  /** Enqueues separate jobs for these rows. Never throws; a failure is logged as `enqueue.failed`. */
  enqueueJobs(ids: readonly string[], extra: Extra, settings: JobSettings = {}): void {
    if (ids.length === 0) return;
    this.addJobs(ids, extra, settings).catch((error: unknown) => this.lost.note(error, ids.length));
  }

  /** Adds jobs of at most `maxWeight` ids each. @throws when the queue is unreachable */
  async addJobs(ids: readonly string[], extra: Extra, { delayMs = 0 }: JobSettings = {}): Promise<void> {
    const { name, maxWeight } = this.definition;
    const jobs = chunks(ids, maxWeight).map((some) => ({
      name,
      data: { ids: some, ...extra } satisfies JobData<Extra>,
      opts: { delay: delayMs },
    }));
    await this.queue.addBulk(jobs);
  }

  /**
   * Asks whether the queue takes jobs.
   *
   * @throws when the queue is unreachable, does not answer within 1.5 s, or refuses writes, with the reason
   */
  async requireWritable(): Promise<void> {
    await withTimeout(this.tryWrite(), REACH_TIMEOUT_MS, 'it').catch((error: Error) => {
      if (error.name === 'ReplyError')
        throw new Error(`the queue takes no jobs: ${reasonOf(error)}`, { cause: error });
      const { error: failure, failedAt } = this.connection;
      const cause = performance.now() - failedAt < REASON_MS ? (failure ?? error) : error;
      throw new Error(`the queue cannot be reached: ${reasonOf(cause)}`, { cause });
    });
  }

  /** Writes nothing, by a command that Redis refuses while it takes no jobs: full, a replica, or without its disk. */
  private async tryWrite(): Promise<void> {
    const backend = this.queue.getBackend();
    if (!(backend instanceof RedisQueueBackend)) return void (await this.queue.count());
    const client = (await backend.client) as unknown as Redis | Cluster;
    await client.setrange(this.queue.toKey('written'), 0, '');
  }

  /** Jobs by state, for metrics. @throws when the queue is unreachable, or does not answer within a second */
  countByState(...states: ('waiting' | 'active' | 'delayed')[]): Promise<Record<string, number>> {
    return withTimeout(this.queue.getJobCounts(...states), COUNT_TIMEOUT_MS, `queue ${this.name}`);
  }

  /**
   * Returns the time at which the oldest waiting or running job was enqueued, by the clock of the process that enqueued
   * it; NO_JOB_AT without one. An unprocessed row older than this has no job. Delayed jobs do not count.
   *
   * @throws when the queue is unreachable, or does not answer within two seconds
   */
  async oldestJobAt(): Promise<Date> {
    return (await this.admin.oldestJobAt()) ?? NO_JOB_AT;
  }

  /** Logs a Redis that may evict jobs. @throws when the queue is unreachable, or on Postgres */
  async warnOfEviction(): Promise<void> {
    const client = await this.queue.getBackend().client;
    const infos = await readRedisInfo(client as unknown as Redis | Cluster);
    const policy = infos
      .map((info) => info['maxmemory_policy'])
      .find((each) => each !== undefined && each !== 'noeviction');
    if (policy === undefined) return;
    const advice = 'set maxmemory-policy to noeviction: an evicted job is a lost job';
    this.logger.warn({ policy, advice }, 'queue.may_evict');
  }

  /** Enqueues the rows at hand and disconnects. Does not wait for an unreachable queue, whose socket never ends. */
  async close(): Promise<void> {
    await this.batcher.close();
    this.lost.close();
    try {
      await withTimeout(this.queue.close(), CLOSE_TIMEOUT_MS, 'the queue');
    } catch {
      this.queue.disconnect().catch(() => undefined);
    }
  }
}

function retryOptions({ retry }: QueueDefinition): object | undefined {
  return retry && { attempts: retry.attempts, backoff: { type: 'fixed', delay: retry.delayMs } };
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
