import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';

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
   * @param databaseUrl the test's own database, which then holds the queues too when the backend is Postgres
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

/** Redis when there is one, else Postgres: for what does not depend on the queue. */
export const A_QUEUE = process.env.TEST_REDIS_URL ? REDIS : POSTGRES;

/**
 * Declares the same tests once for each queue we run on: `describeOnEachQueue((queue) => { test(…) })`.
 * On a machine without redis-server the Redis half is skipped, and says so.
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
