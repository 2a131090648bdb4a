import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { openQueue } from '@signalbox/test/queue';
import { command, startRedis, testWithRedis } from '@signalbox/test/redis';
import { withTimeout } from '@signalbox/runtime/with-timeout';
import { register } from 'prom-client';
import { OTP_QUEUE } from './definitions.ts';
import { JobQueue } from './job-queue.ts';
import { concealQueues, exposeQueues } from './queue-metrics.ts';

test('a queue whose Redis was never reached has no value in the metrics, which are read', async () => {
  const queue = await openQueue(OTP_QUEUE, { QUEUE_URL: 'redis://127.0.0.1:1', QUEUE_PREFIX: 'test' });
  exposeQueues([queue]);

  const metrics = await register.metrics();

  expect(metrics).toContain('# TYPE signalbox_queue_jobs gauge');
  expect(metrics).not.toContain('signalbox_queue_jobs{');
  concealQueues([queue]);
  await queue.close();
});

test('a queue whose Redis was never reached says why it takes no jobs', async () => {
  const queue = await openQueue(OTP_QUEUE, { QUEUE_URL: 'redis://127.0.0.1:1', QUEUE_PREFIX: 'test' });

  await expect(withTimeout(queue.requireWritable(), 1_900, 'the queue')).rejects.toMatchObject({
    message: 'the queue cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    cause: { code: 'ECONNREFUSED' },
  });
  await queue.close();
});

testWithRedis(
  'a queue whose Redis is full, a replica or without replicas says why it takes no jobs',
  async () => {
    await using server = await startRedis();
    const queue = await openQueue(OTP_QUEUE, { QUEUE_URL: server.url, QUEUE_PREFIX: 'test' });
    const isRefused = (reason: string) =>
      expect(queue.requireWritable()).rejects.toThrow(`the queue takes no jobs: ${reason} `);
    await queue.requireWritable();

    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '1');
    await isRefused('OOM');
    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '0');
    await command(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', '1');
    await isRefused('NOREPLICAS');
    await command(server.url, 'REPLICAOF', '127.0.0.1', '1');
    await isRefused('READONLY');
    await queue.close();
  },
);

test('a queue whose Postgres refuses the connection is logged', async () => {
  await using database = await createDatabase();
  const url = new URL(database.url);
  url.pathname = '/none';
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });

  const queue = await JobQueue.open(OTP_QUEUE, { url: url.href, prefix: 'test' }, logger);

  expect(lines).toMatchObject([{ event: 'queue.unreachable', queue: 'otp', error: { code: '3D000' } }]);
  await queue.close();
});
