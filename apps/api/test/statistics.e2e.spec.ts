import { beforeAll, expect, test } from '@jest/globals';
import { recordSubmits } from '@signalbox/database/messages/submits';
import { applyReports, insertReports } from '@signalbox/database/reports/reports';
import { advanceStatistics } from '@signalbox/database/statistics/minutes';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { newReport } from '@signalbox/test/rows';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

interface Totals {
  accepted: number;
  delivered: number;
  failed: number;
  credits: number;
  p50Seconds: number | null;
}

interface Stats {
  from: string;
  to: string;
  step: string;
  zone: string;
  total: Totals;
  series: { group: string | null; isRest: boolean; total: Totals; points: (Totals & { at: string })[] }[];
}

const LONG = 'x'.repeat(161);

const t = await startSharedApi();

beforeAll(async () => {
  const first = await send({ to: ['919800000301', '919800000302', '919800000303'] });
  await send({ to: '919800000304', sender: 'OTHER', text: LONG });
  await fanOut(t.db, [first], 10);
  await recordSubmits(
    t.db,
    'simulator',
    [1, 2, 3].map((n) => ({
      submissionId: first,
      n,
      result: 'sent' as const,
      gatewayMessageId: null,
      retryAfterMs: 0,
    })),
  );
  const reports = [
    newReport(first, { n: 1 }),
    newReport(first, { n: 2, status: 'FAILED', errCode: '003', description: 'Unknown number' }),
  ];
  await insertReports(t.db, reports);
  await applyReports(
    t.db,
    reports.map(({ id }) => id),
  );
  while ((await advanceStatistics(t.db, 90)) > 0);
});

const send = async (given: object): Promise<string> =>
  (await t.call({ body: { ...GOOD_SMS, ...given } })).body.id;

const get = <D = Stats>(path: string, apikey = t.p.apiKey): Promise<Answer<D>> =>
  t.call({ method: 'GET', path: `/v1/stats/${path}`, headers: { apikey } });

test('messages are counted by interval, with zeros where there are none', async () => {
  const { status, body } = await get('messages');

  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    step: 'minute',
    by: null,
    builtAt: expect.any(String),
    total: { accepted: 4, submitted: 3, delivered: 1, read: 0, failed: 1, credits: 5 },
    series: [{ group: null, isRest: false }],
  });
  expect(body.data.total.p50Seconds).toBeGreaterThan(0);
  const [{ points }] = body.data.series as [Stats['series'][number]];
  expect(points.length).toBeGreaterThanOrEqual(60);
  expect(points.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(4);
  expect(points[0]).toMatchObject({ at: body.data.from, accepted: 0, p50Seconds: null });
});

test.each([
  ['sender', { SIGNALBX: 3, OTHER: 1 }],
  ['channel', { sms: 4 }],
  ['status', { accepted: 4, submitted: 0, delivered: 0, failed: 0 }],
  ['gateway', { null: 4, simulator: 0 }],
  ['errCode', { null: 4, '003': 0 }],
])('messages are split by %s', async (by, accepted) => {
  const { body } = await get(`messages?by=${by}&step=hour`);

  const groups = body.data.series.map(({ group, total }) => [String(group), total.accepted]);
  expect(Object.fromEntries(groups)).toEqual(accepted);
});

test('filters select the messages that are counted', async () => {
  const total = async (query: string) => (await get(`messages?step=hour&${query}`)).body.data.total;

  expect(await total('sender=OTHER')).toMatchObject({ accepted: 1, credits: 2 });
  expect(await total('channel=chatapp')).toMatchObject({ accepted: 0 });
  expect(await total('errCode=003')).toMatchObject({ accepted: 0, failed: 1 });
  expect(await total('gateway=simulator')).toMatchObject({ accepted: 0, submitted: 3, delivered: 1 });
});

test('days begin at midnight of the zone, and hours may begin at half past', async () => {
  const now = Date.now();
  const today = Math.floor(now / 86_400_000) * 86_400_000;
  const at = (hours: number): string => new Date(today + hours * 3_600_000).toISOString();
  const range = `from=${at(-52)}&to=${at(-4)}&zone=Asia/Kolkata`;
  const recent = `from=${new Date(now - 7_200_000).toISOString()}`;

  const { days } = (await get<{ series: [{ days: { at: string }[] }] }>(`usage?${range}`)).body.data
    .series[0];
  const hours = (await get(`messages?step=hour&zone=Asia/Calcutta&${recent}`)).body.data;

  expect(days.map((day) => day.at)).toEqual([at(-53.5), at(-29.5), at(-5.5)]);
  expect([hours.zone, hours.from.slice(14, 16)]).toEqual(['Asia/Kolkata', '30']);
  expect(hours.total.accepted).toBe(4);
});

test('the range of the answer ends with its last interval, which is counted whole', async () => {
  const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  const [from, to] = [today - 86_400_000, today + 60_000].map((ms) => new Date(ms).toISOString());

  const use = (await get<{ to: string; total: object }>(`usage?from=${from}&to=${to}`)).body.data;
  const hours = (await get(`messages?step=hour&from=${from}&to=${to}`)).body.data;

  expect(use.to).toBe(new Date(today + 86_400_000).toISOString());
  expect(use.total).toEqual({ messages: 4, credits: 5 });
  expect(hours.to).toBe(new Date(today + 3_600_000).toISOString());
});

test('use is the accepted messages and their credits', async () => {
  const { body } = await get<{ total: object; series: { group: string; total: object }[] }>(
    'usage?by=sender',
  );

  expect(body.data.total).toEqual({ messages: 4, credits: 5 });
  expect(body.data.series.map(({ group, total }) => ({ group, ...total }))).toEqual([
    { group: 'SIGNALBX', messages: 3, credits: 3 },
    { group: 'OTHER', messages: 1, credits: 2 },
  ]);
});

test('ten groups have separate series, and the others share one', async () => {
  const apikey = await t.addKey('Many senders');
  for (let i = 0; i < 12; i += 1)
    await t.call({ body: { ...GOOD_SMS, sender: `SENDER${i}` }, headers: { apikey } });
  // a second ago: the clock of JavaScript drops the microseconds of that of Postgres
  await t.db.query(
    `UPDATE message_stat_build SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`,
  );
  while ((await advanceStatistics(t.db, 90)) > 0);

  const { series, total } = (await get('messages?by=sender', apikey)).body.data;

  expect(total.accepted).toBe(12);
  expect(series.map(({ isRest, total: { accepted } }) => [isRest, accepted])).toEqual([
    ...Array.from({ length: 10 }, () => [false, 1]),
    [true, 2],
  ]);
});

test('another account sees none of them', async () => {
  const stranger = await t.addKey('Stranger');

  expect((await get('messages', stranger)).body.data.total).toMatchObject({ accepted: 0 });
  expect((await get('usage', stranger)).body.data.total).toEqual({ messages: 0, credits: 0 });
});

test.each([
  ['an unknown step', 'messages?step=year', ['step not_allowed_value']],
  ['an unknown group', 'messages?by=account', ['by not_allowed_value']],
  ['an unknown zone', 'messages?zone=Mars/Base', ['zone not_allowed_value']],
  ['an offset as a zone', 'usage?zone=%2B05:30', ['zone not_allowed_value']],
  [
    'too many intervals',
    'messages?step=minute&from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z',
    ['from out_of_range'],
  ],
  ['a range of two years', 'usage?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', ['from out_of_range']],
  ['an empty range', 'messages?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', ['to out_of_range']],
  [
    'an end whose interval ends in the year 10000',
    'messages?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z',
    ['to out_of_range'],
  ],
  [
    'a last day of the year 9999',
    'usage?from=9999-12-01T00:00:00Z&to=9999-12-31T12:00:00Z',
    ['to out_of_range'],
  ],
  ['a begin in the future', 'usage?from=2999-01-01T00:00:00Z', ['from out_of_range']],
  ['a time without a zone', 'messages?from=2026-01-01T00:00:00', ['from invalid_format']],
])('%s is refused', async (_, path, broken) => {
  expectFailure(await get(path), 400, 'invalid_request', broken);
});

test('a key without the scope is refused', async () => {
  const apikey = await t.addKey('Managers', ['manage']);
  expectFailure(await get('messages', apikey), 403, 'scope_missing');
});
