import { openRedis } from '@signalbox/queues/open-redis';
import { type RedisInfo, readRedisInfo } from '@signalbox/queues/redis-info';
import { parseRedisAddress } from '@signalbox/runtime/queue-url';
import { Cluster } from 'ioredis';
import { checkCluster, checkSentinels } from './check-redis-group.ts';
import { connect } from './connect.ts';
import { type Finding, findingsOf } from './finding.ts';

const CONNECT_MS = 3_000;
const OLDEST = [6, 2];

/** Share of maxmemory in use from which on jobs may soon be refused. */
const MAX_MEMORY_SHARE = 0.8;

const TLS = { when: /closed|ECONNRESET|EPIPE/, text: 'a server that expects TLS needs rediss://' };
const NO_TLS = { when: /ETIMEDOUT/, text: 'a server without TLS needs redis://' };

/** Checks version, eviction policy and persistence of the Redis that holds the queues, and who replaces it. */
export async function checkRedis(url: string): Promise<Finding[]> {
  const address = parseRedisAddress(url);
  const found = address.kind === 'sentinel' ? await checkSentinels(address) : [];
  if (found.some(({ level }) => level === 'problem')) return found;
  const redis = openRedis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  try {
    await connect(redis).catch((error: unknown) => {
      throw withHint(error, url);
    });
    const servers = await readRedisInfo(redis);
    const usedBytes = servers.reduce((sum, info) => sum + Number(info['used_memory'] ?? 0), 0);
    const judged = servers.flatMap((info) => judge(info, usedBytes));
    return [...found, ...distinct(judged), ...(redis instanceof Cluster ? await checkCluster(redis) : [])];
  } finally {
    redis.disconnect();
  }
}

/** A server that expects TLS hangs up on a client without; one that does not waits for the rest of what TLS sent. */
function withHint(error: unknown, url: string): unknown {
  const { message, code } = error as NodeJS.ErrnoException;
  const hint = url.startsWith('rediss') ? NO_TLS : TLS;
  return hint.when.test(`${code} ${message}`)
    ? new Error(`${message.replace(/\.$/, '')}; ${hint.text}`, { cause: error })
    : error;
}

/** Keeps one of the findings that several nodes share. */
function distinct(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.text, finding])).values()];
}

/** @param usedBytes memory in use by all nodes together */
function judge(info: RedisInfo, usedBytes: number): Finding[] {
  const version = info['redis_version'] ?? '0';
  const policy = info['maxmemory_policy'];
  const used = `${(usedBytes / 1024 / 1024).toFixed(1)} MiB`;
  return findingsOf('redis', `Redis ${version}, ${used} in use, append-only file on.`, [
    isOlder(version) && {
      level: 'problem',
      text: `Redis ${version} is too old. Upgrade to Redis ${OLDEST.join('.')} or newer.`,
    },
    policy !== 'noeviction' && {
      level: 'problem',
      text: `maxmemory-policy is ${policy}: Redis may drop jobs. Set maxmemory-policy noeviction.`,
    },
    info['aof_enabled'] !== '1' && {
      level: 'warning',
      text: 'The append-only file is off: a restart empties the queues, which are then filled again from Postgres. Set appendonly yes.',
    },
    info['aof_enabled'] === '1' &&
      info['aof_last_write_status'] !== 'ok' && {
        level: 'problem',
        text: 'The last write of the append-only file failed. Check the disk of Redis.',
      },
    ...judgeMemory(info),
    info['role'] === 'slave' && {
      level: 'problem',
      text: 'The server is a replica. Let QUEUE_URL lead to the primary.',
    },
  ]);
}

/** A server without maxmemory takes what its machine has. */
function judgeMemory(info: RedisInfo): Omit<Finding, 'part'>[] {
  const max = Number(info['maxmemory'] ?? 0);
  const share = max === 0 ? 0 : Number(info['used_memory'] ?? 0) / max;
  if (share < MAX_MEMORY_SHARE) return [];
  const text =
    share < 1
      ? `${Math.round(share * 100)} % of maxmemory are in use: Redis refuses jobs when it is full. Raise maxmemory, and look for a queue that grows.`
      : 'Redis is full and refuses jobs: work goes on slowly, from Postgres. Raise maxmemory.';
  return [{ level: share < 1 ? 'warning' : 'problem', text }];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0]! || (major === OLDEST[0] && minor < OLDEST[1]!);
}
