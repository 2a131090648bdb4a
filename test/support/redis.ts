import { rmSync } from 'node:fs';
import { test } from '@jest/globals';
import { Redis as Client } from 'ioredis';
import { freePort } from '../../tools/servers/ports.ts';
import { startRedis as startServer } from '../../tools/servers/redis.ts';
import type { Redis } from '../../tools/servers/redis.ts';
import { makeServerFolder } from './server-folder.ts';

/** `test`, or on a machine without redis-server `test.skip`: for tests that need a separate Redis. */
export const testWithRedis = process.env.TEST_REDIS_URL ? test : test.skip;

/** A private Redis that a test may stop, start, kill and flush; it is removed on disposal. */
export async function startRedis(): Promise<Redis> {
  const dir = makeServerFolder('signalbox-test-redis-');
  const redis = await startServer({ dir, port: await freePort() });
  const dispose = async () => {
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...redis, [Symbol.asyncDispose]: dispose };
}

/** Runs one command on a Redis, over a separate connection. */
export async function command(url: string, ...[name, ...args]: [string, ...string[]]): Promise<unknown> {
  const client = new Client(url);
  try {
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}
