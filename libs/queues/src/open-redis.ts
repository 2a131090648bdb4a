import { PING_ANSWER_MS, PING_EVERY_MS } from '@signalbox/domain/limits';
import { parseRedisAddress } from '@signalbox/runtime/queue-url';
import { withTimeout } from '@signalbox/runtime/with-timeout';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/** Options of a connection, which mean the same for one server, Sentinel and a Cluster. */
export type RedisSettings = Pick<
  RedisOptions,
  | 'commandTimeout'
  | 'connectTimeout'
  | 'connectionName'
  | 'enableOfflineQueue'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'retryStrategy'
> & {
  /** Redirections of a command on a Cluster before it fails: about a tenth of a second each. */
  maxRedirections?: number;
};

/** Milliseconds for a sentinel to name the primary. */
const SENTINEL_TIMEOUT_MS = 1_000;

/** Milliseconds for the nodes of a Cluster to name their slots; a dead one must not use them up. */
const SLOTS_TIMEOUT_MS = 2_000;

/** Milliseconds for which a new connection to a replica is kept, so that connections do not follow one another. */
const REPLICA_KEPT_MS = 1_000;

/** Milliseconds between two reads of the slots of a Cluster, whose nodes come and go. */
const SLOTS_EVERY_MS = 5_000;

/**
 * Opens a connection to the Redis of a QUEUE_URL: one server, the primary that sentinels name, or a Cluster. After a
 * failover it leads to the new primary.
 *
 * @throws Error for an address that names none
 */
export function openRedis(url: string, settings: RedisSettings): Redis | Cluster {
  const address = parseRedisAddress(url);
  const { maxRedirections = 16, ...options } = settings;
  const tls = address.hasTls && { tls: {} };
  if (address.kind === 'single') {
    const { parameters, server, login, database: db } = address;
    return watched({ ...options, ...parameters, ...server, ...login, ...tls, db });
  }
  if (address.kind === 'cluster')
    return new Cluster(
      address.nodes,
      clusterOptions({ ...options, ...address.login, ...tls }, maxRedirections),
    );
  const { username, password } = address.sentinelLogin;
  return watched({
    ...options,
    ...address.login,
    ...tls,
    sentinels: address.sentinels,
    name: address.master,
    db: address.database,
    ...(username !== undefined && { sentinelUsername: username }),
    ...(password !== undefined && { sentinelPassword: password }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls.tls }),
    sentinelRetryStrategy: options.retryStrategy ?? (() => null),
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  });
}

/**
 * Opens a connection that is replaced when it answers nothing, or leads to a replica. The machine of a former primary
 * may vanish without closing its connections, which then stay open for a quarter of an hour; a former primary that
 * became a replica keeps them for ever, although its name or address leads to another server. A Cluster drops its dead
 * nodes itself.
 */
function watched(options: RedisOptions): Redis {
  let timer: NodeJS.Timeout | undefined;
  let readyAt = 0;
  const reconnectOnError = ({ message }: Error): boolean =>
    /\bREADONLY /.test(message) && performance.now() - readyAt > REPLICA_KEPT_MS;
  const redis = new Redis({ ...options, reconnectOnError });
  // a ping of a worker may wait 5 s, behind its wait for a job
  const ask = (): void => {
    const asked = redis.stream;
    withTimeout(redis.ping(), PING_ANSWER_MS, 'redis').catch(() => {
      if (redis.status === 'ready' && redis.stream === asked) redis.disconnect(true);
    });
  };
  redis.on('ready', () => {
    readyAt = performance.now();
    clearInterval(timer);
    timer = setInterval(ask, PING_EVERY_MS).unref();
  });
  redis.on('close', () => clearInterval(timer));
  return redis;
}

/** Returns true for the address of a Cluster, where the keys of one command must share a hash tag. */
export function isCluster(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

function clusterOptions(options: RedisOptions, maxRedirections: number): ClusterOptions {
  const { enableOfflineQueue = true, lazyConnect = false, retryStrategy, ...redisOptions } = options;
  return {
    redisOptions,
    enableOfflineQueue,
    lazyConnect,
    maxRedirections,
    slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
    slotsRefreshInterval: SLOTS_EVERY_MS,
    clusterRetryStrategy: retryStrategy ?? (() => null),
    dnsLookup: (host, done) => done(null, host), // each connection looks its name up, and TLS verifies it
  };
}
