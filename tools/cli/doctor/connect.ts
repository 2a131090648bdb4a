import type { Cluster, Redis } from 'ioredis';

/**
 * Connects to Redis.
 *
 * @throws Error with the reason of a failure, where ioredis says only that the connection is closed
 */
export async function connect(redis: Redis | Cluster): Promise<void> {
  let reason: Error | undefined;
  redis.on('error', (error) => (reason = error));
  await redis.connect().catch((error: unknown) => {
    throw reason ?? error;
  });
}
