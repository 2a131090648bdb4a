import { expect } from '@jest/globals';
import { openRedis } from '@signalbox/queues/open-redis';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startProxy } from '../support/proxy.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';

testWithRedis('an idle connection that lost its other end is replaced', async () => {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startRedis());
  const proxy = started.use(await startProxy(server.url));
  const redis = started.adopt(openRedis(proxy.url, { maxRetriesPerRequest: null }), (each) =>
    each.disconnect(),
  );
  await redis.ping();

  const countHalfOpen = proxy.loseAll();

  await waitFor(() => countHalfOpen() === 0, { otherwise: 'the connection stays half-open' });
  expect(await redis.ping()).toBe('PONG');
});
