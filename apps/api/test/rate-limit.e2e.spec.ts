import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { QueueBackend } from '@signalbox/test/queue';
import { startRedis, testWithRedis } from '@signalbox/test/redis';
import { type Answer, type ApiUnderTest, GOOD_SMS, expectFailure, startApi } from './api-under-test.ts';
import { BODY } from './templates-under-test.ts';

const start = (limit: number, queue?: QueueBackend): Promise<ApiUnderTest> =>
  startApi({ env: { RATE_LIMIT_PER_MINUTE: String(limit) }, ...(queue && { queue }) });
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000100 + i));
const remaining = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

async function sendMany(t: ApiUnderTest, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i += 1) answers.push(await t.call({ body: GOOD_SMS }));
  return answers;
}

test('every answer shows limit and remainder, and a call beyond it gets 429', async () => {
  await using t = await start(5);

  const served = await sendMany(t, 5);
  const [refused] = (await sendMany(t, 1)) as [Answer];

  expect(served.map(remaining)).toEqual([4, 3, 2, 1, 0]);
  expect(served.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const { headers } of [...served, refused]) {
    expect(headers['ratelimit-policy']).toBe('"default";q=5;w=60');
    expect(headers['ratelimit']).toMatch(/^"default";r=\d+;t=\d+$/);
  }
  expectFailure(refused, 429, 'rate_limited');
  const retryAfter = Number(refused.headers['retry-after']);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect((await t.countRows()).submissions).toBe(5);
});

test('each key has its own counter, and may have its own limit', async () => {
  await using t = await start(2);
  const [other, generous] = [await t.addKey('Other'), await t.addKey('Generous')];
  await t.db.query(
    `UPDATE api_key SET rate_limit_per_minute = 100 WHERE account_id = (SELECT id FROM account WHERE name = 'Generous')`,
  );
  await sendMany(t, 2);

  expect((await t.call({ body: GOOD_SMS })).status).toBe(429);
  expect((await t.call({ body: GOOD_SMS, headers: { apikey: other } })).status).toBe(200);
  expect(remaining(await t.call({ body: GOOD_SMS, headers: { apikey: generous } }))).toBe(99);
});

test('a bulk counts its recipients, and a refused one is not charged', async () => {
  await using t = await start(10);

  const bulk = await t.call({ body: { ...GOOD_SMS, to: numbers(7) } });
  const refused = await t.call({ body: { ...GOOD_SMS, to: numbers(4) } });
  const after = await t.call({ body: GOOD_SMS });

  expect([bulk.status, remaining(bulk)]).toEqual([200, 3]);
  expectFailure(refused, 429, 'rate_limited');
  expect(after.status).toBe(200);
  expect((await t.countRows()).submissions).toBe(2);
});

test('a call with several opt-outs counts each of them', async () => {
  await using t = await start(20);
  const add = (count: number): Promise<Answer> =>
    t.call({ path: '/v1/opt-outs', body: { recipients: numbers(count) } });

  const added = await add(7);
  const [refused, tooMany, after] = [await add(14), await add(21), await add(3)];

  expect([added.status, remaining(added)]).toEqual([201, 13]);
  expect(remaining(after)).toBe(3); // 14 were refused after the 5 of a call, 21 cost nothing
  expectFailure(refused, 429, 'rate_limited');
  expectFailure(tooMany, 422, 'bulk_exceeds_rate_limit');
  expect(await t.db.query('SELECT FROM opt_out')).toHaveLength(7);
});

test('a template costs a point for each of its languages', async () => {
  await using t = await start(10);
  const apikey = await t.addKey('Templates', ['templates']);
  const call = { path: '/v1/chatapp/createChatTemplate?dryRun=true', headers: { apikey } };
  const template = { name: 'n', language: 'en,fr,de,hi', category: 'UTILITY', components: [BODY] };

  const tried = await t.call({ ...call, body: { ...template, chatAccountId: 1 } });

  expect(remaining(tried)).toBe(6);
});

test('a write that is in the audit log costs five', async () => {
  await using t = await start(100);
  const path = '/v1/webhooks';
  const hooks = await t.addKey('Hooks', ['webhooks']);
  const body = { name: 'n', endPoint: 'http://127.0.0.1:8080/' };

  const [managed, other] = [
    await t.call({ path, body }),
    await t.call({ path, body, headers: { apikey: hooks } }),
  ];

  expect([managed, other].map(({ status }) => status)).toEqual([201, 201]);
  expect([managed, other].map(remaining)).toEqual([95, 99]);
});

test('parallel calls share the limit', async () => {
  await using t = await start(10);

  const answers = await Promise.all(Array.from({ length: 30 }, () => t.call({ body: GOOD_SMS })));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const answer of answers.filter(({ status }) => status !== 200))
    expectFailure(answer, 429, 'rate_limited');
});

test('a call whose body is refused costs as any other', async () => {
  await using t = await start(3);

  const [malformed, scopeless] = [
    await t.call({ body: '{' }),
    await t.call({ path: '/v1/webhooks', headers: { apikey: await t.addKey('Sender', ['send']) }, body: {} }),
  ];

  expect([malformed, scopeless].map(({ status }) => status)).toEqual([400, 403]);
  expect([malformed, scopeless].map(remaining)).toEqual([2, 2]);
});

test('a key above its limit is refused before its body arrives', async () => {
  await using t = await start(1);
  await sendMany(t, 1);
  const { hostname, port } = new URL(t.p.apiUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/sms HTTP/1.1\r\nhost: a\r\napikey: ${t.p.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
  );

  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1.1 429 /);
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
});

test('a call with a bad key is charged to no key', async () => {
  await using t = await start(2);

  for (let i = 0; i < 5; i += 1)
    expect((await t.call({ body: GOOD_SMS, headers: { apikey: `${t.p.apiKey}x` } })).status).toBe(401);

  expect(remaining(await t.call({ body: GOOD_SMS }))).toBe(1);
});

testWithRedis('while Redis is unreachable, a limit of this process applies', async () => {
  await using redis = await startRedis();
  await using t = await start(5, {
    name: 'redis',
    settings: () => ({ QUEUE_URL: redis.url, QUEUE_PREFIX: 'test' }),
  });
  expect(remaining(await t.call({ body: GOOD_SMS }))).toBe(4);
  await redis.stop();

  const served = await sendMany(t, 5);

  expect(served.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expectFailure(await t.call({ body: GOOD_SMS }), 429, 'rate_limited');
});
