import { request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import { openQueue } from '@signalbox/test/queue';
import { testWithRedis } from '@signalbox/test/redis';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { startApi, startSharedApi } from './api-under-test.ts';
import { type Browser, signIn } from './users-under-test.ts';

interface BoardQueue {
  name: string;
  jobs: { id: string; data: { ids: string[] }; failedReason: string; stacktrace: string[] }[];
}

const BOARD = '/app/bull-board';
const FROM_PAGE = { 'sec-fetch-site': 'same-origin' };

const t = await startSharedApi();
const promo = await openQueue(SMS_QUEUES.PROMO, t.p.queue);
afterAll(() => promo.close());

/** Calls the board as a page does; its answers are not those of our API. */
function call(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${t.p.apiUrl}${BOARD}${path}`, { method, headers, redirect: 'manual' });
}

const cookieOf = ({ cookie }: Browser): Record<string, string> => ({ cookie, ...FROM_PAGE });

testWithRedis('bull-board is for operators alone, its files included', async () => {
  const operator = cookieOf(await signIn(t, 'operator'));
  const page = await call('/', operator);
  const [, script = ''] = /src="(static\/[^"]+\.js)"/.exec(await page.text()) ?? [];

  for (const path of ['', '/', '/queue/dlr', '/api/queues', `/${script}`]) {
    expect([path, (await call(path)).status]).toEqual([path, 401]);
    for (const role of ['viewer', 'admin'] as const)
      expect([path, (await call(path, cookieOf(await signIn(t, role)))).status]).toEqual([path, 403]);
    expect([path, (await call(path, operator)).status]).toEqual([path, 200]);
  }
  const withKey = { apikey: await t.addKey('Operators', ['ops']) };
  expect((await call('/api/queues', withKey)).status).toBe(200);
});

testWithRedis('it lists our queues and their jobs, with the numbers in errors masked', async () => {
  const operator = cookieOf(await signIn(t, 'operator'));
  await promo.addJobs(['a'], {}, { delayMs: 3_600_000 });
  const [job] = await promo.bullQueue.getJobs('delayed');
  const redis = await promo.bullQueue.getBackend().client;
  await redis.hset(promo.bullQueue.toKey(job!.id!), { failedReason: 'no route to 919800000100' });

  const answer = await call('/api/queues?activeQueue=sms-promo&jobsPerPage=1000000', operator);
  const { queues } = (await answer.json()) as { queues: BoardQueue[] };

  expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(['sms-promo', 'dlr', 'callback']));
  expect(queues.find(({ name }) => name === 'sms-promo')?.jobs).toMatchObject([
    { data: { ids: ['a'] }, failedReason: 'no route to ********0100' },
  ]);
});

testWithRedis(
  'its writes need a page of this service, are audited, and never add or clean jobs',
  async () => {
    const { cookie } = await signIn(t, 'operator');
    const [job] = await promo.bullQueue.getJobs('delayed');
    const promote = `/api/queues/sms-promo/${job!.id}/promote`;

    for (const site of ['cross-site', 'same-site'])
      expect((await call(promote, { cookie, 'sec-fetch-site': site }, 'PUT')).status).toBe(403);
    expect((await call(promote, { cookie, origin: 'https://evil.example' }, 'PUT')).status).toBe(403);
    expect(await job!.isDelayed()).toBe(true);

    expect((await call(promote, { cookie, ...FROM_PAGE }, 'PUT')).status).toBe(204);
    expect(await job!.isDelayed()).toBe(false);
    expect(await t.db.query(`SELECT target FROM audit_event WHERE action = 'promoteJob'`)).toEqual([
      { target: `sms-promo ${job!.id}` },
    ]);

    for (const path of ['/api/queues/sms-promo/obliterate', '/api/queues/sms-promo/clean/wait'])
      expect((await call(path, { cookie, ...FROM_PAGE }, 'PUT')).status).toBe(405);
    expect((await call('/api/queues/sms-promo/add', { cookie, ...FROM_PAGE }, 'POST')).status).toBe(405);
    expect(await promo.countByState('waiting')).toEqual({ waiting: 1 });
  },
);

testWithRedis('its writes refuse a query, which could hide them from the audit log', async () => {
  const operator = cookieOf(await signIn(t, 'operator'));

  const refused = await call('/api/queues/sms-promo/pause?dryRun=true', operator, 'PUT');

  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { code: 'unknown_parameter' } },
  ]);
  expect(await promo.bullQueue.isPaused()).toBe(false);
});

testWithRedis('its writes are refused once the session ends while their body arrives', async () => {
  const { cookie } = await signIn(t, 'operator');
  await t.db.query(`UPDATE user_session SET used_at = now() - interval '1 hour'`);
  const isKnown = async (): Promise<boolean> =>
    (await t.db.query(`SELECT FROM user_session WHERE used_at > now() - interval '1 minute'`)).length > 0;
  const headers = { cookie, ...FROM_PAGE, 'content-type': 'application/json', 'content-length': '2' };
  const request = openRequest(`${t.p.apiUrl}${BOARD}/api/queues/sms-promo/pause`, { method: 'PUT', headers });
  const answered = Promise.withResolvers<number | undefined>();
  request.on('response', (response) => void text(response).then(() => answered.resolve(response.statusCode)));
  request.flushHeaders();
  await waitFor(isKnown, { otherwise: 'the session was not found' });

  await t.db.query('DELETE FROM user_session');
  request.end('{}');

  expect(await answered.promise).toBe(401);
  expect(await promo.bullQueue.isPaused()).toBe(false);
});

testWithRedis('its page loads nothing from elsewhere', async () => {
  const page = await call('/', cookieOf(await signIn(t, 'operator')));
  const html = await page.text();

  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  expect(html).not.toContain('<%');
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
});

test('on a Postgres queue there is no board, and the session says so', async () => {
  await using own = await startApi({
    queue: { name: 'postgres', settings: (url) => ({ QUEUE_URL: url, QUEUE_PREFIX: 'test' }) },
  });
  const operator = await signIn(own, 'operator');
  const me = await operator.call<{ features: object }>({ method: 'GET', path: '/v1/me' });
  const answer = await fetch(`${own.p.apiUrl}${BOARD}/`, { headers: cookieOf(operator) });

  expect(me.body.data.features).toMatchObject({ bullBoard: false });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { code: 'queue_board_unavailable' } });
});
