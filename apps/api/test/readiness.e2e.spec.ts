import { expect, test } from '@jest/globals';
import { seedDemo } from '@signalbox/database/accounts/seed';
import { freePort } from '@signalbox/tools/servers/ports';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { startRedis, testWithRedis } from '@signalbox/test/redis';
import { type ApiUnderTest, GOOD_SMS, expectFailure, startApi } from './api-under-test.ts';

const look = async (t: ApiUnderTest, path: string): Promise<number> =>
  (await fetch(t.p.apiUrl + path)).status;

test('health, readiness and metrics need no key', async () => {
  await using t = await startApi();
  await t.call({ body: GOOD_SMS });

  expect([await look(t, '/healthz'), await look(t, '/readyz')]).toEqual([200, 200]);
  const metrics = await fetch(`${t.p.apiUrl}/metrics`);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await metrics.text()).toMatch(
    /signalbox_http_request_seconds_count\{method="POST",route="\/v1\/sms",status="200"\} [1-9]/,
  );
});

test('with OPS_PORT, operations and metrics answer on that port only', async () => {
  const port = await freePort();
  await using t = await startApi({ env: { OPS_PORT: String(port) } });
  const opsKey = await t.addKey('Operators', ['send', 'ops']);
  const ask = async (base: string, path: string, apikey = opsKey): Promise<[number, string]> => {
    const answer = await fetch(base + path, { headers: { apikey } });
    return [answer.status, await answer.text()];
  };
  const [open, inside] = [t.p.apiUrl, `http://127.0.0.1:${port}`];

  expect((await ask(open, '/metrics'))[0]).toBe(404);
  expect((await ask(inside, '/metrics'))[1]).toContain('signalbox_http_request_seconds');
  expect(await ask(open, '/v1/system')).toEqual([403, expect.stringContaining('OPS_PORT')]);
  expect((await ask(inside, '/v1/system'))[0]).toBe(200);
  expect((await ask(open, '/v1/me'))[1]).toContain('"scopes":["send"]');
  expect((await ask(inside, '/v1/me'))[1]).toContain('"scopes":["send","ops"]');
  for (const base of [open, inside])
    expect([(await ask(base, '/healthz'))[0], (await ask(base, '/readyz'))[0]]).toEqual([200, 200]);
});

testWithRedis('without Redis the API is ready and accepts calls', async () => {
  await using redis = await startRedis();
  await using t = await startApi({
    queue: { name: 'redis', settings: () => ({ QUEUE_URL: redis.url, QUEUE_PREFIX: 'test' }) },
  });
  await redis.stop();

  const answers = await Promise.all(Array.from({ length: 10 }, () => t.call({ body: GOOD_SMS })));

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect([await look(t, '/readyz'), (await t.countRows()).submissions]).toEqual([200, 10]);
});

test('without Postgres calls get 503 with Retry-After, and are served once it is back', async () => {
  await using database = await createDatabase();
  await using road = await startProxy(database.url);
  await using t = await startApi({ env: { DATABASE_URL: road.url, RATE_LIMIT_PER_MINUTE: '100000' } });
  await seedDemo(database.url, t.p.apiKey);
  const served = async (): Promise<boolean> => (await t.call({ body: GOOD_SMS })).status === 200;
  await waitFor(served, { otherwise: 'the API did not serve' });

  await road.cut();

  for (const call of [
    { body: GOOD_SMS },
    { method: 'GET', path: '/v1/webhooks' },
    { method: 'GET', path: `/v1/messages/${crypto.randomUUID()}:1` },
  ]) {
    const answer = await t.call(call);
    expectFailure(answer, 503, 'unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  expect([await look(t, '/readyz'), await look(t, '/healthz')]).toEqual([503, 200]);

  await road.mend();
  await waitFor(async () => (await served()) && (await look(t, '/readyz')) === 200, {
    otherwise: 'the API did not recover',
  });
});

test('the API is not ready while Postgres is read-only', async () => {
  await using t = await startApi();
  const admin = t.db.connection.createQueryRunner();
  const setting = `ALTER DATABASE ${new URL(t.p.databaseUrl).pathname.slice(1)} SET default_transaction_read_only`;
  const becomes = (status: number): Promise<unknown> =>
    waitFor(async () => (await look(t, '/readyz')) === status, { otherwise: `/readyz is not ${status}` });

  await admin.query(`${setting} = on`);
  await admin.query(
    `SELECT pg_terminate_backend(pid)
       FROM pg_stat_activity
      WHERE datname = current_database()
        AND pid <> pg_backend_pid()`,
  );
  await becomes(503);

  await admin.query(`${setting} = off`);
  await expect(becomes(200)).resolves.toBeUndefined();
  await admin.release();
});
