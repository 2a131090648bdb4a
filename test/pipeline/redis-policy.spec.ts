import { expect } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { Redis } from 'ioredis';
import { OTP_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';

testWithRedis('a Redis that may evict jobs is logged, with the setting to change', async () => {
  await using redis = await startRedis();
  const admin = new Redis(redis.url);
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await admin.quit();
  const lines: { event: string }[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });

  const queues = await Queues.open([OTP_QUEUE], { url: redis.url, prefix: 'test' }, logger);

  const isLogged = () => lines.some(({ event }) => event === 'queue.may_evict');
  await waitFor(isLogged, { otherwise: 'the policy was not logged' });
  expect(lines).toMatchObject([{ policy: 'allkeys-lru', advice: expect.stringContaining('noeviction') }]);
  await queues.close();
});
