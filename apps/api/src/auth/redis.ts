import { isPostgres } from '@signalbox/queues/queue-connection';
import type { Logger } from '@signalbox/runtime/logger';
import { Redis } from 'ioredis';

/** Connection that counts calls and attempts; undefined when the queue is not on Redis. */
export const COUNTER_REDIS = Symbol('counter redis');

/** Prefix of the keys of counters. */
export const COUNTER_PREFIX = Symbol('counter prefix');

/**
 * Opens the connection for rate limits; undefined when the queue is not on Redis, where each process counts
 * alone.
 * Commands fail fast: while Redis is unreachable, limits are local and no call waits.
 */
export function openRedis(queueUrl: string, logger: Logger): Redis | undefined {
  if (isPostgres(queueUrl)) return undefined;
  const redis = new Redis(queueUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 250,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  redis.on('error', (error) => logger.warn({ error }, 'redis.unreachable'));
  return redis;
}
