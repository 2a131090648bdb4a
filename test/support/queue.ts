import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import { JobQueue } from '@signalbox/queues/job-queue';
import { createLogger } from '@signalbox/runtime/logger';

/** Queue settings of one test, named as in the environment of the apps. */
export interface QueueSettings {
  QUEUE_URL: string;
  QUEUE_PREFIX: string;
}

export interface QueueBackend {
  name: 'redis' | 'postgres';
  /**
   * Settings for queues that no other test sees.
   *
   * @param databaseUrl the test's own database, which also holds the queues of the Postgres backend
   */
  settings(databaseUrl: string): QueueSettings;
}

const REDIS: QueueBackend = {
  name: 'redis',
  settings: () => ({ QUEUE_URL: process.env.TEST_REDIS_URL ?? '', QUEUE_PREFIX: `test-${randomUUID()}` }),
};

const POSTGRES: QueueBackend = {
  name: 'postgres',
  settings: (databaseUrl) => ({ QUEUE_URL: databaseUrl, QUEUE_PREFIX: 'test' }),
};

/** Redis when there is one, else Postgres: for tests that do not depend on the backend. */
export const A_QUEUE = process.env.TEST_REDIS_URL ? REDIS : POSTGRES;

/** Opens the producing end of a queue; the caller closes it. */
export function openQueue<Extra extends object>(
  definition: QueueDefinition<Extra>,
  { QUEUE_URL: url, QUEUE_PREFIX: prefix }: QueueSettings,
): Promise<JobQueue<Extra>> {
  return JobQueue.open(definition, { url, prefix }, createLogger('test', 'silent'));
}

/**
 * Declares the same tests once for each queue backend: `describeOnEachQueue((queue) => { test(…) })`. On a machine
 * without redis-server the Redis half is reported as skipped.
 */
export function describeOnEachQueue(define: (queue: QueueBackend) => void): void {
  const onRedis = process.env.TEST_REDIS_URL ? describe : describe.skip;
  onRedis('on a Redis queue', () => {
    define(REDIS);
  });
  describe('on a Postgres queue', () => {
    define(POSTGRES);
  });
}
