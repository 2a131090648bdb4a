import { request as openRequest } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { newSubmission } from '@signalbox/test/rows';
import { fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { OTHER, findChatAccount, templateCalls } from './templates-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { signIn } from './users-under-test.ts';
import { type Answer, type Call, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

/** Connections of the api besides those that accept, read or ping. */
const POOL_SIZE = 2;

const KEY = { name: 'Named', scopes: ['send'] };

let webhookId: string;

const t = await startSharedApi({
  env: { DATABASE_POOL_SIZE: String(POOL_SIZE), RATE_LIMIT_PER_MINUTE: '100000' },
});

const { lockRows, untilWaiting, countWaiting } = locksOf(t);

beforeAll(async () => {
  const body = { name: 'costly', endPoint: 'http://127.0.0.1:8080/' };
  webhookId = (await t.call<{ id: string }>({ path: '/v1/webhooks', body })).body.data.id;
});

const get = (path: string): Call => ({ method: 'GET', path });
const replay = (dryRun: boolean): Call => ({
  path: `/v1/webhooks/${webhookId}/replay`,
  body: { from: '2026-01-01T00:00:00Z', dryRun },
});
const remaining = ({ headers }: Pick<Answer, 'headers'>): number =>
  Number(/r=(\d+)/.exec(String(headers['ratelimit']))![1]);

test('reads that wait for the database leave the connections that accept messages free', async () => {
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  const accounts = [await t.addKey('Stats'), await t.addKey('Guard')].map((apikey) => ({
    headers: { apikey },
  }));
  await using lock = await lockRows(
    'LOCK TABLE push, message, verification_stat, verification_conversion IN ACCESS EXCLUSIVE MODE',
  );
  const waiting = [
    get(`/v1/webhooks/${webhookId}/stats`),
    get(`/v1/sms/${id}`),
    { ...get('/v1/verify/stats'), ...accounts[0] },
    { ...get('/v1/verify/guard'), ...accounts[1] },
  ].map((call) => t.call(call));

  await untilWaiting('api-searches', 4);
  const sent = await t.call({ body: GOOD_SMS });
  await lock.release();

  expect(sent.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

test('costly calls of an account leave connections to others', async () => {
  const apikey = await t.addKey('Other');
  await using lock = await lockRows('LOCK TABLE push IN ACCESS EXCLUSIVE MODE');
  const calls = [
    get(`/v1/webhooks/${webhookId}/stats`),
    get(`/v1/webhooks/${webhookId}/deliveries`),
    get(`/v1/webhooks/${webhookId}/deliveries?limit=2`),
    replay(true),
  ];
  const waiting = calls.map((call) => t.call(call));
  await untilWaiting('api-searches', 1);

  const other = await t.call({ ...get('/v1/verify/stats'), headers: { apikey } });
  await lock.release();

  expect(other.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

test('searches of an account leave connections to others', async () => {
  const apikey = await t.addKey('Searched');
  await using lock = await lockRows('LOCK TABLE message, inbound_message IN ACCESS EXCLUSIVE MODE');
  const calls = [
    ...['recipient=919800000001', 'errCode=003', 'limit=2', 'limit=3'].map((query) =>
      get(`/v1/messages?${query}`),
    ),
    get('/v1/search?q=919800000001'),
    get('/v1/chatapp/inbound'),
  ];
  const waiting = calls.map((call) => t.call(call));
  await untilWaiting('api-searches', 1);

  const others = Array.from({ length: 4 }, () => t.call({ ...get('/v1/audit'), headers: { apikey } }));
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await countWaiting('api-searches')).toBe(1);
  await lock.release();

  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

test('reads of single rows of an account leave a connection to others', async () => {
  const apikey = await t.addKey('Read');
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await using lock = await lockRows('LOCK TABLE message IN ACCESS EXCLUSIVE MODE');
  const waiting = Array.from({ length: 12 }, (_, i) =>
    t.call(get([`/v1/sms/${id}`, `/v1/sends/${id}`, `/v1/messages/${id}:1`][i % 3]!)),
  );
  await untilWaiting('api-searches', 3);

  const other = await t.call({ ...get('/v1/audit'), headers: { apikey } });
  expect(await countWaiting('api-searches')).toBe(3);
  await lock.release();

  expect(other.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

test('writes that answer with what they read leave a connection for reads to others', async () => {
  const apikey = await t.addKey('Cancels');
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await using lock = await lockRows('LOCK TABLE message, push_attempt IN ACCESS EXCLUSIVE MODE');
  const paths = [`/v1/sms/${id}/cancel`, `/v1/webhooks/${webhookId}/enable`];
  const waiting = Array.from({ length: 12 }, (_, i) => t.call({ path: paths[i % 2]! }));
  await untilWaiting('api-searches', 3);

  const other = await t.call({ ...get('/v1/audit'), headers: { apikey } });
  expect(await countWaiting('api-searches')).toBe(3);
  await lock.release();

  expect(other.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

test('writes that wait for the database leave the connections that accept messages free', async () => {
  const apikey = await t.addKey('Writes');
  await using lock = await lockRows(`SELECT FROM account WHERE name = 'Writes' FOR NO KEY UPDATE`);
  const waiting = Array.from({ length: 2 * POOL_SIZE }, (_, i) =>
    t.call<{ id: string }>({
      path: '/v1/webhooks',
      headers: { apikey },
      body: { name: `w${i}`, endPoint: 'http://127.0.0.1:8080/' },
    }),
  );

  await untilWaiting('api', POOL_SIZE);
  const sent = await t.call({ body: GOOD_SMS, headers: { apikey: await t.addKey('Quiet') } });
  await lock.release();

  expect(sent.status).toBe(200);
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(201);
});

test.each<[string, (id: string) => string, () => Promise<string>, (id: string) => Call]>([
  [
    'renames of a key',
    (id) => `SELECT FROM api_key WHERE id = '${id}' FOR UPDATE`,
    async () => (await t.call<{ id: string }>({ path: '/v1/api-keys', body: KEY })).body.data.id,
    (id) => ({ method: 'PATCH', path: `/v1/api-keys/${id}`, body: { name: 'Renamed' } }),
  ],
  [
    'edits of a template',
    () => 'LOCK TABLE template IN ACCESS EXCLUSIVE MODE',
    async () => templateCalls({ t, chatAccountId: await findChatAccount(t) }).createApproved('edited'),
    (id) => ({ path: '/v1/chatapp/editChatTemplate', body: { id, components: [OTHER] } }),
  ],
])('%s that have taken all connections need no further one', async (_, lockOf, make, change) => {
  const id = await make();
  const ended = await countEnded();
  await using lock = await lockRows(lockOf(id));
  const waiting = Array.from({ length: 2 * POOL_SIZE }, () => t.call(change(id)));

  await waitFor(async () => (await countQueued()) > 0, {
    otherwise: 'no call waits for a connection',
  });
  await lock.release();

  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses).not.toContain(503);
  expect(await countEnded()).toBe(ended);
});

/** Counts the sessions that Postgres ended, as one whose transaction waits for another connection for 20 s. */
async function countEnded(): Promise<number> {
  const [row] = (await t.db.query(
    'SELECT sessions_fatal::integer AS ended FROM pg_stat_database WHERE datname = current_database()',
  )) as [{ ended: number }];
  return row.ended;
}

/** Counts the calls that wait for a connection of the api, besides those that accept, read or ping. */
async function countQueued(): Promise<number> {
  const metrics = await (await fetch(`${t.p.apiUrl}/metrics`)).text();
  return Number(/^signalbox_pool_connections\{pool="durable",state="waiting"\} (\d+)$/m.exec(metrics)?.[1]);
}

test('a call costs points by its work', async () => {
  const costOf = async (call: Call): Promise<number> => {
    const apikey = await t.addKey('Points');
    const before = remaining(await t.call({ ...get('/v1/webhooks'), headers: { apikey } }));
    return before - remaining(await t.call({ ...call, headers: { apikey, ...call.headers } }));
  };
  const to = Array.from({ length: 500 }, (_, i) => `9198000${String(i).padStart(5, '0')}`);

  expect({
    list: await costOf(get('/v1/messages')),
    stats: await costOf(get(`/v1/webhooks/${webhookId}/stats`)),
    enable: await costOf({ path: `/v1/webhooks/${webhookId}/enable` }),
    deliveries: await costOf(get(`/v1/webhooks/${webhookId}/deliveries`)),
    codes: await costOf(get('/v1/verify/stats')),
    guard: await costOf(get('/v1/verify/guard')),
    replay: await costOf(replay(true)),
    dryRun: await costOf({ path: '/v1/sms?dryRun=true', body: { ...GOOD_SMS, to } }),
  }).toEqual({ list: 1, stats: 20, enable: 20, deliveries: 5, codes: 20, guard: 5, replay: 50, dryRun: 500 });
  expect(remaining(await openExport(await t.addKey('Points')))).toBe(100_000 - 100);
});

test('an account has two concurrent exports at most, and a third after one has ended', async () => {
  const apikey = await t.addKey('Exports');
  const [{ id: accountId }] = (await t.db.query(`SELECT id FROM account WHERE name = 'Exports'`)) as [
    { id: string },
  ];
  const recipients = Array.from({ length: 30_000 }, (_, i) => `9198000${String(i).padStart(5, '0')}`);
  const submission = newSubmission({ accountId, recipients });
  await insertSubmissions(t.db, [submission]);
  for (let i = 0; i < recipients.length; i += 500) await fanOut(t.db, [submission.id], 10);
  const [first, second] = [await openExport(apikey), await openExport(apikey)];

  const refused = await openExport(apikey);
  const other = await openExport(t.p.apiKey);

  expect([first, second, refused, other].map(({ status }) => status)).toEqual([200, 200, 403, 200]);
  first.close();
  const later = [second, other];
  const opensThird = async (): Promise<boolean> => {
    const third = await openExport(apikey);
    later.push(third);
    return third.status === 200;
  };
  await waitFor(opensThird, { otherwise: 'an ended export still counts' });
  for (const open of later) open.close();
});

test('an export breaks off once the session of its user has ended', async () => {
  const user = await signIn(t, 'editor', 'Leaving');
  const to = Array.from({ length: 150 }, (_, i) => String(919_800_000_000 + i));
  await user.call({ body: { ...GOOD_SMS, to } });
  await using lock = await lockRows('LOCK TABLE submission IN ACCESS EXCLUSIVE MODE');
  const exporting = fetch(`${t.p.apiUrl}/v1/messages`, {
    headers: { cookie: user.cookie, accept: 'text/csv' },
  })
    .then((response) => response.text())
    .catch(() => 'broken off');

  await untilWaiting('api-searches', 1);
  await t.db.query(`DELETE FROM user_session`);
  await lock.release();

  expect(await exporting).not.toContain(to[0]); // which is on the second page
});

test('the refusal of an export names the limit', async () => {
  const apikey = await t.addKey('No exports');
  await t.db.query(`UPDATE account SET limits = '{"exports": 0}' WHERE name = 'No exports'`);

  const refused = await t.call({ ...get('/v1/messages'), headers: { apikey, accept: 'text/csv' } });

  expectFailure(refused, 403, 'limit_reached');
  expect(refused.body.message).toMatch(/limit "exports"/);
});

/** Opens an export without reading it. */
function openExport(apikey: string): Promise<Pick<Answer, 'status' | 'headers'> & { close: () => void }> {
  return new Promise((resolve, reject) => {
    const request = openRequest(
      `${t.p.apiUrl}/v1/messages`,
      { headers: { apikey, accept: 'text/csv' }, agent: false },
      (response) => {
        response.pause();
        response.on('error', () => undefined);
        resolve({ status: response.statusCode!, headers: response.headers, close: () => request.destroy() });
      },
    );
    request.on('error', reject);
    request.end();
  });
}
