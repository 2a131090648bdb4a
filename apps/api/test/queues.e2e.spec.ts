import { randomUUIDv7 } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { addQueueSamples } from '@signalbox/database/ops/queue-minutes';
import {
  CALLBACK_QUEUE,
  CHAT_SIMULATOR_QUEUE,
  SMS_QUEUES,
  TEMPLATE_REVIEW_QUEUE,
} from '@signalbox/queues/definitions';
import { openQueue } from '@signalbox/test/queue';
import { startRedis, testWithRedis } from '@signalbox/test/redis';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, GOOD_SMS, expectFailure, startApi, startSharedApi } from './api-under-test.ts';

interface QueueBody {
  name: string;
  waiting: number;
  failed: number;
  paused: boolean;
  oldestJobAt: string | null;
  runsPerMinute: number;
  minutes: { completed: number; waiting: number | null }[];
}
interface JobBody {
  rows: { id: string; messageId: string | null }[];
  rowCount: number;
  error: string | null;
}
interface Acted {
  jobs: number;
  queue: QueueBody;
}

const t = await startSharedApi();
/** The queue of a lane that no worker of this test serves. */
const promo = await openQueue(SMS_QUEUES.PROMO, t.p.queue);
afterAll(() => promo.close());

const get = <D>(path: string): Promise<Answer<D>> => t.call<D>({ method: 'GET', path: `/v1/queues${path}` });
const act = (path: string, body?: object): Promise<Answer<Acted>> =>
  t.call<Acted>({ path: `/v1/queues${path}`, body });

test('queues are listed with their jobs by state, and the rows that jobs name', async () => {
  const { id } = (await t.call({ body: { ...GOOD_SMS, type: 'PROMO' } })).body;
  await waitFor(async () => (await promo.countByState('waiting'))['waiting'] === 1, {
    otherwise: 'no job was enqueued',
  });

  const { data: queues } = (await get<QueueBody[]>('')).body;
  const { data: jobs } = (await get<JobBody[]>('/sms-promo/jobs')).body;

  expect(queues.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['sms-promo', 'dlr', 'chat-simulator']),
  );
  expect(queues.find(({ name }) => name === 'sms-promo')).toMatchObject({
    waiting: 1,
    paused: false,
    oldestJobAt: expect.any(String),
  });
  expect((await promo.oldestJobAt()).getTime()).toBeLessThanOrEqual(Date.now());
  expect(jobs).toMatchObject([{ rows: [{ id, messageId: `${id}:1` }], rowCount: 1 }]);
  expectFailure(await get('/nothing'), 404, 'queue_not_found');
  expectFailure(await get('/dlr/jobs?state=done'), 400, 'invalid_request', ['state not_allowed_value']);
});

test('a queue without jobs holds back no rescue, whatever the clock of its process', async () => {
  const reviews = await openQueue(TEMPLATE_REVIEW_QUEUE, t.p.queue);
  const oldest = await reviews.oldestJobAt();
  await reviews.close();
  expect(oldest).toEqual(new Date('9999-12-31T00:00:00Z'));
});

test('jobs are listed in pages, the next to run first', async () => {
  const simulator = await openQueue(CHAT_SIMULATOR_QUEUE, t.p.queue);
  const ids = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1'];
  for (const id of ids) await simulator.addJobs([id], { script: 'x', step: 1 });
  await simulator.close();

  const seen: string[] = [];
  for (let query = '?limit=2'; query !== ''; ) {
    const { data, nextCursor } = (await get<JobBody[]>(`/chat-simulator/jobs${query}`)).body;
    seen.push(...data.flatMap(({ rows }) => rows.map(({ messageId }) => String(messageId))));
    query = nextCursor === null ? '' : `?limit=2&cursor=${nextCursor}`;
  }

  expect(seen).toEqual(ids);
});

test('jobs are counted, and removed unless it is a dry run', async () => {
  const { waiting } = (await get<QueueBody>('/sms-promo')).body.data;

  expect((await act('/sms-promo/drain', { dryRun: true })).body.data).toMatchObject({ jobs: waiting });
  expect(await promo.countByState('waiting')).toEqual({ waiting });
  expect((await act('/sms-promo/drain', {})).body.data).toMatchObject({
    jobs: waiting,
    queue: { waiting: 0 },
  });
  expect(await promo.countByState('waiting')).toEqual({ waiting: 0 });
  expectFailure(await act('/sms-promo/clean', { state: 'active' }), 400, 'invalid_request', [
    'state not_allowed_value',
  ]);
});

test('a paused queue keeps its jobs and its lane until it is resumed', async () => {
  await using own = await startApi({ workers: ['sms'], env: { SIMULATOR_DELAY_MS: '0' } });
  const isPending = async (id: string): Promise<boolean> => {
    const [row] = await own.db.query(`SELECT fanned_out_at FROM submission WHERE id = $1`, [id]);
    return (row as { fanned_out_at: Date | null }).fanned_out_at === null;
  };
  /** Older than the second after which a worker finds submissions without a job, twice. */
  const isOld = async (id: string): Promise<boolean> => {
    const [row] = await own.db.query(
      `SELECT accepted_at < now() - interval '3 seconds' AS old FROM submission WHERE id = $1`,
      [id],
    );
    return (row as { old: boolean }).old;
  };
  const send = async (type: string): Promise<string> =>
    (await own.call({ body: { ...GOOD_SMS, type } })).body.id;
  expect((await own.call<QueueBody>({ path: '/v1/queues/sms-promo/pause' })).body.data.paused).toBe(true);

  const held = await send('PROMO');
  await waitFor(() => isOld(held), { otherwise: 'it did not get old' });
  const other = await send('TRANS');
  await waitFor(async () => !(await isPending(other)), { otherwise: 'the other lane does not go on' });
  expect(await isPending(held)).toBe(true);

  await own.call({ path: '/v1/queues/sms-promo/resume' });
  await waitFor(async () => !(await isPending(held)), { otherwise: 'the lane does not go on' });
});

test('a job that fails at every attempt is kept with its error, and can be retried', async () => {
  await using own = await startApi({ workers: ['sms'] });
  const callbacks = await openQueue(CALLBACK_QUEUE, own.p.queue);
  await own.db.query('ALTER TABLE callback RENAME TO missing');
  await callbacks.addJobs([randomUUIDv7()], {});
  await callbacks.close();
  const failed = async (): Promise<JobBody[]> =>
    (await own.call<JobBody[]>({ method: 'GET', path: '/v1/queues/callback/jobs?state=failed' })).body.data;
  await waitFor(async () => (await failed()).length === 1, { otherwise: 'the job did not fail' });

  expect((await failed())[0]?.error).toContain('"callback" does not exist');
  await own.db.query('ALTER TABLE missing RENAME TO callback');
  const retried = await own.call<Acted>({ path: '/v1/queues/callback/retry', body: {} });

  expect(retried.body.data).toMatchObject({ jobs: 1 });
  await waitFor(
    async () => {
      const [sum] = await own.db.query(`SELECT sum(failed)::integer AS failed FROM queue_minute`);
      return (sum as { failed: number | null }).failed !== null && (sum as { failed: number }).failed >= 5;
    },
    { otherwise: 'the runs were not counted' },
  );
});

test('the last hours of a queue are sums of all processes by minute', async () => {
  const sample = { queue: 'dlr-otp', failed: 1, waiting: 3, active: 0, delayed: 0 };
  await addQueueSamples(t.db, [{ ...sample, completed: 5 }]);
  await addQueueSamples(t.db, [{ ...sample, completed: 7, waiting: null }]);
  await t.db.query(`UPDATE queue_minute SET minute = minute - interval '2 minutes'`);

  const { data } = (await get<QueueBody>('/dlr-otp?hours=1')).body;

  expect(data.minutes).toMatchObject([{ completed: 12, failed: 2, waiting: 3 }]);
  expect(data.runsPerMinute).toBeCloseTo(12 / 5);
});

test('queues are for the scope ops', async () => {
  const headers = { apikey: await t.addKey('Tenant', ['send', 'manage']) };
  expectFailure(await t.call({ method: 'GET', path: '/v1/queues', headers }), 403, 'scope_missing');
  expectFailure(await t.call({ path: '/v1/queues/dlr/pause', headers }), 403, 'scope_missing');
});

testWithRedis('while Redis is unreachable the queues return 503 and explain it', async () => {
  await using redis = await startRedis();
  await using own = await startApi({
    queue: { name: 'redis', settings: () => ({ QUEUE_URL: redis.url, QUEUE_PREFIX: 'away' }) },
  });
  await redis.stop();
  expectFailure(await own.call({ method: 'GET', path: '/v1/queues' }), 503, 'unavailable');
  await redis.start();
  await waitFor(async () => (await own.call({ method: 'GET', path: '/v1/queues' })).status === 200, {
    otherwise: 'the queues do not answer again',
  });
});
