import {
  type ConnectionOptions,
  type QueueBaseOptions,
  createPostgresBackend,
  setDefaultBackendFactory,
} from 'bullmq';

/** Where the queues live: `redis://…` (or `rediss://…`), or `postgres://…` for BullMQ's own Postgres backend. */
export interface QueueSettings {
  url: string;
  /** Keeps several installations apart on one Redis; on Postgres the database does. */
  prefix: string;
}

export type QueueConnection = QueueBaseOptions & { prefix: string };

/** After an outage a connection comes back within a second of its server. */
const retryStrategy = (times: number): number => Math.min(times * 100, 1_000);

/**
 * How producers reach the queues: they fail at once while the queue is away. The rows they ring for are safe, and nobody may
 * wait for a bell.
 */
export function producerConnection(settings: QueueSettings): QueueConnection {
  if (isPostgres(settings.url)) return postgresConnection(settings, 3);
  setDefaultBackendFactory();
  return {
    prefix: settings.prefix,
    connection: {
      url: settings.url,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2_000,
      retryStrategy,
    },
  };
}

/** How workers reach the queues: they wait for the queue to come back, for as long as it takes. */
export function workerConnection(settings: QueueSettings): QueueConnection {
  if (isPostgres(settings.url)) return postgresConnection(settings, 6);
  setDefaultBackendFactory();
  return {
    prefix: settings.prefix,
    connection: { url: settings.url, maxRetriesPerRequest: null, connectTimeout: 2_000, retryStrategy },
  };
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/**
 * BullMQ takes its backend from one process-wide default, and types connections for Redis only.
 * It makes its tables when they are not there. Jobs are bells, so losing the last ones in a crash of the database costs nothing: commits need not wait for the disk.
 */
function postgresConnection({ url, prefix }: QueueSettings, poolSize: number): QueueConnection {
  setDefaultBackendFactory(createPostgresBackend);
  const connection = {
    connectionString: url,
    max: poolSize,
    migrate: true,
    options: '-c synchronous_commit=off',
    connectionTimeoutMillis: 3_000,
  };
  return { prefix, connection: connection as unknown as ConnectionOptions };
}
