import { randomUUIDv7 } from 'node:crypto';
import { expect } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { startRedis, testWithRedis } from '@signalbox/test/redis';
import { Redis } from 'ioredis';
import { defineQueue } from './define-queue.ts';
import { JobQueue } from './job-queue.ts';

const JOBS = 30;

testWithRedis('a Redis without memory is one line for each queue, and a sum', async () => {
  await using redis = await startRedis();
  const client = new Redis(redis.url);
  await client.config('SET', 'maxmemory', '1');
  client.disconnect();
  const lines: object[] = [];
  const logger = createLogger('test', 'warn', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const queue = await JobQueue.open(
    defineQueue('full', { rows: 'send', maxWeight: 1 }),
    { url: redis.url, prefix: 'test' },
    logger,
  );

  for (let job = 0; job < JOBS; job += 1) queue.enqueueJobs([randomUUIDv7()], {});
  await expect(queue.addJobs([randomUUIDv7()], {})).rejects.toThrow('OOM'); // after the others
  expect(lines).toHaveLength(1);
  await queue.close();

  const error = expect.objectContaining({ message: expect.stringContaining('OOM') });
  expect(lines).toMatchObject([
    { event: 'enqueue.failed', queue: 'full', count: 1, error },
    { event: 'enqueue.failed', queue: 'full', count: JOBS - 1, error },
  ]);
});
