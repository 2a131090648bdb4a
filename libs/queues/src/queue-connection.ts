import {
  type ConnectionOptions,
  type QueueBaseOptions,
  RedisConnection,
  createIORedisClient,
  setDefaultBackendFactory,
} from 'bullmq';
import { type RedisSettings, isCluster, openRedis } from './open-redis.ts';
import { QueueClient } from './queue-client.ts';
import { createWaitingBackend } from './worker-backend.ts';

/** Address of the queues. */
export interface QueueSettings {
  /** An address that `openRedis` takes, or `postgres://…` for BullMQ's own Postgres backend. */
  url: string;
  /** Separates installations that share a Redis; on Postgres the database does. */
  prefix: string;
}

export type QueueConnection = QueueBaseOptions & { prefix: string };

/** Reconnects within a second once the server is back. */
const retryStrategy = (times: number): number => Math.min(times * 100, 1_000);

/**
 * Connection of producers. Their calls fail immediately while the queue is unreachable: rows are committed before their
 * job is enqueued, so no caller waits for a job.
 */
export function producerConnection(settings: QueueSettings): QueueConnection {
  if (isPostgres(settings.url)) return postgresConnection(settings, 3);
  return redisConnection(settings, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
}

/** Connection of workers. They wait without limit for an unreachable queue. */
export function workerConnection(settings: QueueSettings): QueueConnection {
  if (isPostgres(settings.url)) return postgresConnection(settings, 6);
  return redisConnection(settings, { maxRetriesPerRequest: null });
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/**
 * BullMQ opens each connection by a process-wide function. On a Cluster the prefix is a hash tag: a script of BullMQ
 * has many keys, which must be on one node.
 */
function redisConnection({ url, prefix }: QueueSettings, options: RedisSettings): QueueConnection {
  setDefaultBackendFactory();
  RedisConnection.clientFactory = ({ url: address = '', ...rest }: RedisSettings & { url?: string }) =>
    createIORedisClient(openRedis(address, rest));
  const connection = { ...options, url, connectTimeout: 2_000, retryStrategy };
  return { prefix: isCluster(url) ? `{${prefix}}` : prefix, connection };
}

/** Milliseconds after which a statement without an answer fails. pg closes unused connections after as many. */
const SILENT_MS = 10_000;

/**
 * BullMQ takes its backend from a process-wide default, and types connections for Redis only. It creates missing
 * tables. Commits do not wait for the disk: a rescue replaces the jobs that a crash of the database loses.
 */
function postgresConnection({ url, prefix }: QueueSettings, poolSize: number): QueueConnection {
  setDefaultBackendFactory(createWaitingBackend);
  const connection = {
    connectionString: url,
    max: poolSize,
    migrate: true,
    options: '-c synchronous_commit=off',
    connectionTimeoutMillis: 3_000,
    query_timeout: SILENT_MS,
    Client: QueueClient,
  };
  return { prefix, connection: connection as unknown as ConnectionOptions };
}
