import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startReceiver } from '../support/receiver.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, type Service, startService } from '../support/service.ts';
import { callApi } from '../support/call-api.ts';

/** A number whose messages the simulator throttles twice. */
const THROTTLED = '919800000003';

const lines = { api: [] as string[], 'sms-worker': [] as string[] };
let service: Service;
beforeAll(async () => {
  service = await startService({
    queue: 'redis',
    apps: ['api', 'sms-worker', 'dlr-worker', 'otp-worker'],
    env: { OTP_PEPPER: randomBytes(32).toString('base64') },
    onLine: (app, line) => void (lines as Partial<Record<string, string[]>>)[app]?.push(line),
  });
});
afterAll(async () => service[Symbol.asyncDispose]());

testWithRedis(
  'the api accepts while Redis is wiped, gone or stuck, and pushes follow afterwards',
  async () => {
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    const moreFor = async (durationMs: number) => {
      for (const until = Date.now() + durationMs; Date.now() < until; ) await load.more(1);
    };
    const { redis } = service.stack;

    await load.more(150);
    await redis?.flush();
    await load.more(150);
    await redis?.stop();
    await moreFor(10_000);
    await redis?.start();
    await load.more(100);
    redis?.process.kill('SIGSTOP');
    await moreFor(3_000);
    redis?.process.kill('SIGCONT');
    const endedAt = Date.now();
    await load.stop();

    await tenant.untilPushed(load, endedAt + RECOVERY_MS - Date.now());
    expect(load.failures()).toEqual({});
    expect(load.slowestMs()).toBeLessThan(20_000);
    expect(await service.listSubmittedAgain()).toEqual([]);
  },
);

testWithRedis(
  'codes and throttled messages are sent, and their reports pushed, while Redis is down',
  async () => {
    const { stack } = service;
    const delivered = new Set<string>();
    await using receiver = await startReceiver(({ report }, response) => {
      if (report.status === 'Delivered') delivered.add(String(report.messageId));
      response.end();
    });
    const post = <Data>(path: string, body: object) => callApi<Data>(stack, 'POST', path, body);
    await post('/v1/webhooks', { name: 'reports', endPoint: receiver.url });
    const config = { name: 'login', sender: 'SIGNALBX' };
    const { id: configId } = await post<{ id: string }>('/v1/verify/configs', config);
    await stack.redis?.stop();

    const verifyId = await post('/v1/verify', { configId, to: '919800000100' });
    await post('/v1/sms', {
      sender: 'SIGNALBX',
      type: 'TRANS',
      to: THROTTLED,
      text: 'Your order has shipped.',
    });

    await waitFor(() => delivered.size === 2, {
      timeoutMs: RECOVERY_MS,
      otherwise: 'a code or a throttled message was not delivered and pushed',
    });
    expect(await service.query('SELECT id, status FROM verification')).toEqual([
      { id: verifyId, status: 'SENT' },
    ]);
    expect(await service.listMessages('throttles = 2')).toHaveLength(1);
    await stack.redis?.start();
  },
);

testWithRedis('processes that start without Redis log it once, recover, and drain without it', async () => {
  const apps = ['api', 'sms-worker'] as const;
  const { stack } = service;
  const restarted = apps.map((app) => ({ app: stack.process(app), seen: lines[app] }));
  const eventsOf = (seen: string[]) =>
    seen
      .map((line) => JSON.parse(line) as { event: string; dependency?: string })
      .filter(({ dependency }) => dependency !== 'database') // a slow machine
      .map(({ event }) => event);
  const untilLogged = (event: string, otherwise: string) =>
    waitFor(() => restarted.every(({ seen }) => eventsOf(seen).includes(event)), { otherwise });

  await stack.redis?.stop();
  await Promise.all(restarted.map(({ app }) => app.stop()));
  for (const seen of Object.values(lines)) seen.length = 0;
  const starting = restarted.map(({ app }) => app.start());
  await untilLogged('dependency.lost', 'the outage was not logged');
  await stack.redis?.start();
  await Promise.all(starting);
  await untilLogged('dependency.back', 'its end was not logged');
  expect(restarted.map(({ seen }) => eventsOf(seen))).toEqual(
    apps.map(() => ['dependency.lost', 'dependency.back']),
  );

  await stack.redis?.stop();
  await Promise.all(restarted.map(({ app }) => app.stop()));
  expect(restarted.map(({ app }) => app.lastEnd)).toEqual(apps.map(() => 'exit code 0'));
});
