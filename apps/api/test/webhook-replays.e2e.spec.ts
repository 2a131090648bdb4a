import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiUnderTest, expectFailure, sameForAll } from './api-under-test.ts';
import {
  type Delivery,
  EARLY,
  type Replay,
  WEBHOOKS,
  setUpEndpoint,
  startPushingApi,
} from './deliveries-under-test.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startPushingApi();
});
afterAll(async () => api[Symbol.asyncDispose]());

test('an exhausted delivery is replayed under its id, with its whole schedule', async () => {
  let failures = 2;
  await using t = await setup((_, response) => void response.writeHead(failures-- > 0 ? 500 : 200).end());
  const id = await t.createWebhook({ schedule: [1] });
  await t.send(1);
  await t.until(async () => (await t.list(id, 'status=exhausted')).length === 1);
  const [{ id: deliveryId }] = (await t.list(id)) as [Delivery];

  failures = 1;
  const replayed = await t.call<Delivery>({ path: `/v1/webhook-deliveries/${deliveryId}/replay` });

  expect([replayed.status, replayed.body.data.status]).toEqual([200, 'waiting']);
  await t.until(
    async () => (await t.get<Delivery>(`/v1/webhook-deliveries/${deliveryId}`)).status === 'delivered',
  );
  expect((await t.get<Delivery>(`/v1/webhook-deliveries/${deliveryId}`)).attempts).toHaveLength(4);
  expect(new Set(t.receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([deliveryId]),
  );
});

test('a delivery is replayed 100 times at most', async () => {
  await using t = await setup();
  const id = await t.createWebhook();
  await t.send(1);
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 1);
  const [{ id: deliveryId }] = (await t.list(id)) as [Delivery];
  const path = `/v1/webhook-deliveries/${deliveryId}/replay`;
  await t.db.query('UPDATE push SET replays = 99 WHERE webhook_id = $1', [id]);

  expect((await t.call({ path })).status).toBe(200);
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 1);
  const refused = await t.call({ path });

  expectFailure(refused, 403, 'limit_reached');
  expect(refused.body.message).toContain('100');
  expect(t.receiver.received).toHaveLength(2);
});

test('a replay counts first, keeps its rate, shows its progress and can be cancelled', async () => {
  let isUp = false;
  await using t = await setup((_, response) => void response.writeHead(isUp ? 200 : 500).end());
  const id = await t.createWebhook({ schedule: [], maxInFlight: 64 });
  await t.send(9);
  await t.until(async () => (await t.list(id, 'status=exhausted')).length === 9);
  isUp = true;
  const replay = (body: object) =>
    t.call<Replay>({ path: `${WEBHOOKS}/${id}/replay`, body: { from: EARLY, ...body } });

  const preview = await replay({ dryRun: true });
  expect([preview.status, preview.body.data]).toMatchObject([
    200,
    { id: null, status: null, total: 9, replayed: 0 },
  ]);
  const slow = await replay({ ratePerSecond: 2 });
  expect([slow.status, slow.body.data]).toMatchObject([201, { status: 'running', total: 9 }]);
  const slowPath = `${WEBHOOKS}/${id}/replays/${slow.body.data.id}`;
  await t.until(async () => (await t.get<Replay>(slowPath)).replayed > 0);
  const cancelled = await t.call<Replay>({ path: `${slowPath}/cancel` });
  expect(cancelled.body.data.status).toBe('cancelled');
  expect(cancelled.body.data.replayed).toBeLessThan(9);

  const rest = await replay({ ratePerSecond: 100 });
  await t.until(
    async () => (await t.get<Replay>(`${WEBHOOKS}/${id}/replays/${rest.body.data.id}`)).status === 'done',
  );
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 9);
  expect(t.receiver.received).toHaveLength(18);
  const all = await replay({ status: ['delivered', 'exhausted'] });
  await t.until(async () => t.receiver.received.length === 27);
  expect((await t.get<Replay>(`${WEBHOOKS}/${id}/replays/${all.body.data.id}`)).replayed).toBe(9);
});

test("another tenant's deliveries and replays look like absent ones", async () => {
  await using t = await setup();
  const { id, deliveryId, replayId } = await setUpReplay(t);
  const stranger = await t.addKey('stranger');
  const none = '01900000-0000-7000-8000-000000000001';
  const pairs = [
    ['GET', `${WEBHOOKS}/${id}/deliveries`, `${WEBHOOKS}/${none}/deliveries`],
    ['GET', `${WEBHOOKS}/${id}/stats`, `${WEBHOOKS}/x/stats`],
    ['POST', `${WEBHOOKS}/${id}/enable`, `${WEBHOOKS}/${none}/enable`],
    ['GET', `/v1/webhook-deliveries/${deliveryId}`, `/v1/webhook-deliveries/${none}_${none}`],
    ['POST', `/v1/webhook-deliveries/${deliveryId}/replay`, '/v1/webhook-deliveries/x/replay'],
    ['GET', `${WEBHOOKS}/${id}/replays/${replayId}`, `${WEBHOOKS}/${none}/replays/${none}`],
    ['POST', `${WEBHOOKS}/${id}/replays/${replayId}/cancel`, `${WEBHOOKS}/${none}/replays/x/cancel`],
  ] as const;

  const answers = await Promise.all(
    pairs.map(async ([method, path, absent]) => ({
      path,
      foreign: sameForAll(await t.call({ method, path, headers: { apikey: stranger } })),
      absent: sameForAll(await t.call({ method, path: absent })),
    })),
  );

  expect(answers.map(({ path, foreign }) => ({ path, status: JSON.parse(foreign)[0] }))).toEqual(
    pairs.map(([, path]) => ({ path, status: 404 })),
  );
  expect(answers.map(({ path, foreign }) => ({ path, answer: foreign }))).toEqual(
    answers.map(({ path, absent }) => ({ path, answer: absent })),
  );
});

test('a list of deliveries reports each bad parameter', async () => {
  await using t = await setup();
  const path = `${WEBHOOKS}/${await t.createWebhook()}/deliveries`;
  const query = 'status=lost&from=yesterday&recipient=0&limit=0&cursor=x';

  expectFailure(await t.call({ method: 'GET', path: `${path}?${query}` }), 400, 'invalid_request', [
    'status not_allowed_value',
    'recipient invalid_format',
    'limit out_of_range',
    'from invalid_format',
  ]);
  expectFailure(await t.call({ method: 'GET', path: `${path}?cursor=x` }), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
});

test('a list of deliveries takes times at the ends of the calendar', async () => {
  await using t = await setup();
  const { id } = await setUpReplay(t);

  expect(await t.list(id, 'from=1970-01-01T00:00:00Z&to=9999-12-31T00:00:00Z')).toHaveLength(1);
  expect(await t.list(id, 'to=1970-01-01T00:00:00Z')).toEqual([]);
});

test.each([
  [
    { to: 1, status: [], ratePerSecond: 0, dryRun: 'yes' },
    [
      'from required',
      'to invalid_type',
      'status too_few_items',
      'ratePerSecond out_of_range',
      'dryRun invalid_type',
    ],
  ],
  [{ from: EARLY, until: EARLY }, ['until unknown_field']],
  [{ from: '2026-W01-1' }, ['from invalid_format']],
  [{ from: '2026-02-30T00:00:00Z' }, ['from invalid_format']],
  [{ from: '2026-01-01' }, ['from invalid_format']],
  [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, ['to out_of_range']],
])('the replay %j is refused', async (body, broken) => {
  await using t = await setup();
  const id = await t.createWebhook();

  expectFailure(await t.call({ path: `${WEBHOOKS}/${id}/replay`, body }), 400, 'invalid_request', broken);
});

const setup = (answer?: Parameters<typeof setUpEndpoint>[1]) => setUpEndpoint(api, answer);

/** A webhook with one delivery and a running replay. */
async function setUpReplay(t: Awaited<ReturnType<typeof setup>>) {
  const id = await t.createWebhook();
  await t.send(1);
  await t.until(async () => (await t.list(id)).length === 1);
  const [{ id: deliveryId }] = (await t.list(id)) as [Delivery];
  const { body } = await t.call<Replay>({ path: `${WEBHOOKS}/${id}/replay`, body: { from: EARLY } });
  return { id, deliveryId, replayId: body.data.id };
}
