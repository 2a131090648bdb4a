import { expect, test } from '@jest/globals';
import { openDataSource } from '@signalbox/database/core/data-source';
import { openRedis } from '@signalbox/queues/open-redis';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { createDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { command, startRedis, testWithRedis } from '../support/redis.ts';

testWithRedis('an idle connection to Redis that lost its other end is replaced', async () => {
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

testWithRedis('a connection to a Redis that became a replica is replaced by one to the primary', async () => {
  await using started = new AsyncDisposableStack();
  const [former, primary] = [started.use(await startRedis()), started.use(await startRedis())];
  const proxy = started.use(await startProxy(former.url));
  await command(primary.url, 'CONFIG', 'SET', 'requirepass', new URL(former.url).password);
  const redis = started.adopt(openRedis(proxy.url, { maxRetriesPerRequest: null }), (each) =>
    each.disconnect(),
  );
  await redis.set('key', 'value');

  proxy.lead(primary.url);
  await command(former.url, 'REPLICAOF', '127.0.0.1', '1');

  await waitFor(() => redis.set('key', 'value').then(Boolean, () => false), {
    otherwise: 'the connection still leads to the replica',
  });
});

test('an idle connection to Postgres that lost its other end is replaced', async () => {
  await using started = new AsyncDisposableStack();
  const proxy = started.use(await startProxy(started.use(await createDatabase()).url));
  const options = { url: proxy.url, applicationName: 'test', poolSize: 2, commit: 'durable' } as const;
  const source = await openDataSource({ ...options, keepsIdle: true });
  started.defer(() => source.destroy());
  await Promise.all([source.query('SELECT'), source.query('SELECT')]);

  const countHalfOpen = proxy.loseAll();

  await waitFor(() => countHalfOpen() === 0, { otherwise: 'a connection stays half-open' });
  expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});
