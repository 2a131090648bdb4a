import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { checkRedis } from '../../tools/cli/doctor/check-redis.ts';
import { testWithRedis } from '../support/redis.ts';
import { type RedisGroup, startRedisCluster, startSentinelGroup } from '../support/redis-groups.ts';
import { type Service, startService } from '../support/service.ts';
import { endLoad, keepLoad, testDrill } from './figures.ts';

const NOTHING_LOST = { lost: 0, foreign: 0, failures: {} };
const authorities = getCACertificates('default');

afterEach(() => setDefaultCACertificates(authorities));

testWithRedis('the queues are found through sentinels', async () => {
  await using group = await startSentinelGroup();
  expect(await checkRedis(group.url)).toEqual([
    expect.objectContaining({ level: 'ok', part: 'sentinel' }),
    expect.objectContaining({ level: 'ok', part: 'redis' }),
  ]);
  await using service = await startService({ queue: 'redis', queueUrl: group.url, apps: ['api'] });
  const { apiUrl, apiKey } = service.stack;

  const answer = await fetch(`${apiUrl}/v1/queues`, { headers: { apikey: apiKey } });

  expect(answer.status).toBe(200);
});

testDrill('sentinels replace a primary that is killed under load', async () => {
  await using group = await startSentinelGroup();

  const figures = await killPrimary('sentinel, killed primary', group, 'signalbox:dlr:id');

  expect(figures).toMatchObject(NOTHING_LOST);
});

testDrill('sentinels replace a killed primary where all connections use TLS', async () => {
  await using group = await startSentinelGroup({ hasTls: true });
  expect(await examine(group)).toEqual(['ok sentinel', 'ok redis']);

  const figures = await killPrimary('sentinel with TLS, killed primary', group, 'signalbox:dlr:id');

  expect(figures).toMatchObject(NOTHING_LOST);
});

testWithRedis('everything that uses Redis works on a cluster', async () => {
  await using group = await startRedisCluster();
  await using service = await startService({ queue: 'redis', queueUrl: group.url, apps: ['api'] });
  const { apiUrl, apiKey } = service.stack;
  const call = async (method: string, path: string, body?: string) => {
    const headers = { apikey: apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const answer = await fetch(apiUrl + path, { method, headers, body: body ?? null });
    return `${method} ${path} ${answer.status} ${await answer.text()}`;
  };

  const operations = [
    ['GET', '/v1/queues'],
    ['POST', '/v1/queues/dlr/pause'],
    ['POST', '/v1/queues/dlr/resume'],
    ...['waiting', 'active', 'delayed', 'failed'].map((state) => [
      'GET',
      `/v1/queues/dlr/jobs?state=${state}`,
    ]),
    ['POST', '/v1/queues/dlr/retry', '{}'],
    ['POST', '/v1/queues/dlr/drain', '{}'],
    ['POST', '/v1/queues/dlr/clean', '{"state":"failed"}'],
    ['GET', '/app/bull-board/api/queues'],
    ['GET', '/metrics'],
  ] as const;
  for (const [method = '', path = '', body] of operations)
    expect(await call(method, path, body)).toMatch(/^\S+ \S+ 20[0-9] /);

  expect(await call('GET', '/v1/system')).toMatch(/"queues":\{"kind":"redis","isReachable":true,"version":"/);
  await waitFor(async () => (await group.keys('signalbox:rate:*')).length === 1, {
    otherwise: 'the calls were not counted in Redis',
  });
});

testDrill('a cluster replaces the primary of the queues that is killed under load', async () => {
  await using group = await startRedisCluster();
  expect(await checkRedis(group.url)).toEqual([
    expect.objectContaining({ level: 'ok', part: 'redis' }),
    expect.objectContaining({ level: 'ok', part: 'cluster' }),
  ]);

  const figures = await killPrimary('cluster, killed primary', group, '{signalbox}:dlr:id');

  expect(figures).toMatchObject(NOTHING_LOST);
});

testDrill('a cluster replaces a killed primary where all connections use TLS', async () => {
  await using group = await startRedisCluster({ hasTls: true });
  expect(await examine(group)).toEqual(['ok redis', 'ok cluster']);

  const figures = await killPrimary('cluster with TLS, killed primary', group, '{signalbox}:dlr:id');

  expect(figures).toMatchObject(NOTHING_LOST);
});

/** The findings of `doctor`, as `level part`, of a process that trusts the authority of the group. */
async function examine({ url, authority }: RedisGroup): Promise<string[]> {
  if (authority !== undefined) setDefaultCACertificates([readFileSync(authority, 'utf8')]);
  return (await checkRedis(url)).map(({ level, part }) => `${level} ${part}`);
}

/** Kills the server that counts the jobs of a queue, and waits until its successor counts further ones. */
async function killPrimary(name: string, group: RedisGroup, counter: string): Promise<object> {
  await using service = await startService({
    queue: 'redis',
    queueUrl: group.url,
    ...(group.authority && { env: { NODE_EXTRA_CA_CERTS: group.authority } }),
  });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad();
  await keepLoad(load);
  const killed = await group.primaryOf(counter);
  await waitFor(async () => Number(await group.ask(killed, 'GET', counter)) > 0, {
    otherwise: 'the primary got no jobs',
  });

  await killed.process.stop('SIGKILL');

  await waitFor(async () => (await group.primaryOf(counter)) !== killed, {
    otherwise: 'no replica took over',
  });
  await untilReady(service);
  const successor = await group.primaryOf(counter);
  const before = Number(await group.ask(successor, 'GET', counter));
  await waitFor(async () => Number(await group.ask(successor, 'GET', counter)) > before, {
    otherwise: 'the successor got no jobs',
  });
  await keepLoad(load);
  return await endLoad(name, load, tenant);
}

async function untilReady({ stack }: Service): Promise<void> {
  for (const app of ['sms-worker', 'dlr-worker'] as const)
    await waitFor(() => stack.process(app).isReady(), { otherwise: `${app} did not find the new primary` });
}
