import { Cluster, type Redis } from 'ioredis';

/** The answer of a server to INFO, by name. */
export type RedisInfo = Readonly<Record<string, string>>;

/**
 * Asks a Redis, or each primary of a Cluster, about itself. Primaries that do not answer are left out.
 *
 * @throws when none answers
 */
export async function readRedisInfo(redis: Redis | Cluster): Promise<[RedisInfo, ...RedisInfo[]]> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const asked = servers.map(async (server) => parse(await server.info()));
  const first = await Promise.any(asked).catch((error: AggregateError) => {
    throw error.errors[0] ?? new Error('no primary of the Cluster is known');
  });
  const all = await Promise.allSettled(asked);
  const others = all.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  return [first, ...others.filter((info) => info !== first)];
}

function parse(text: string): RedisInfo {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}
