import { openRedis } from '@signalbox/queues/open-redis';
import { isPostgres } from '@signalbox/queues/queue-connection';
import type { Logger } from '@signalbox/runtime/logger';
import type { Cluster, Redis } from 'ioredis';

/** The Redis that counts, or the Cluster: each count is one command on one key. */
export type CounterRedis = Redis | Cluster;

/** Connection that counts calls and attempts; undefined when the queue is not on Redis. */
export const COUNTER_REDIS = Symbol('counter redis');

/**
 * Opens the connection for rate limits; undefined when the queue is not on Redis, where each process counts alone.
 * Commands fail fast: while Redis is unreachable, limits are local and no call waits.
 */
export function openCounters(queueUrl: string, logger: Logger): CounterRedis | undefined {
  if (isPostgres(queueUrl)) return undefined;
  const redis = openRedis(queueUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    maxRedirections: 2,
    connectTimeout: 2_000,
    commandTimeout: 250,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  redis.on('error', (error) => logger.warn({ error }, 'redis.unreachable'));
  return redis;
}
