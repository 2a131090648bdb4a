import { Redis } from 'ioredis';
import { type Finding, findingsOf } from './finding.ts';

const CONNECT_MS = 3_000;
const OLDEST = [6, 2];

/** Checks version, eviction policy and persistence of the Redis that holds the queues. */
export async function checkRedis(url: string): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => {}); // connect() rejects with it
  try {
    await redis.connect();
    return judge(readInfo(await redis.info()));
  } finally {
    redis.disconnect();
  }
}

function readInfo(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}

function judge(info: Record<string, string>): Finding[] {
  const version = info['redis_version'] ?? '0';
  const policy = info['maxmemory_policy'];
  return findingsOf('redis', `Redis ${version}, ${info['used_memory_human']} in use, append-only file on.`, [
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
    info['role'] === 'slave' && {
      level: 'problem',
      text: 'The server is a replica. Let QUEUE_URL lead to the primary.',
    },
  ]);
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0]! || (major === OLDEST[0] && minor < OLDEST[1]!);
}
