import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ReceivedPush, startReceiver } from '@signalbox/test/receiver';
import {
  type Answer,
  type ApiUnderTest,
  type Call,
  GOOD_SMS,
  expectFailure,
  sameForAll,
  startApi,
} from './api-under-test.ts';
import { ScriptedGateway, delivered } from './scripted-gateway.ts';

const WEBHOOKS = '/v1/webhooks';
const EARLY = '2020-01-01T00:00:00Z';

let api: ApiUnderTest;
beforeAll(async () => {
  const gateway = new ScriptedGateway(() => [[delivered({ status: 'SENT' })], [delivered()]]);
  api = await startApi({ workers: ['sms', 'dlr'], gateway });
});
afterAll(async () => api[Symbol.asyncDispose]());

interface Delivery {
  id: string;
  messageId: string;
  status: string;
  reason: string | null;
  attempts: {
    responseStatus: number | null;
    error: string | null;
    answer: string | null;
    requestHeaders: Record<string, string> | null;
  }[];
}

interface Stats {
  breaker: string;
  backlog: number;
  failuresInRow: number;
  nextAttemptAt: string | null;
  latest: { delivered: number; successRate: number | null; p50Ms: number | null };
}

interface Replay {
  id: string | null;
  status: string | null;
  total: number;
  replayed: number;
}

test('a status is told after every earlier one of its message, also when that has to be told twice', async () => {
  const failedOnce = new Set<string>();
  await using t = await setup((push, response) => {
    const isFirst = push.report['status'] === 'Sent' && !failedOnce.has(push.report['messageId']!);
    failedOnce.add(push.report['messageId']!);
    response.writeHead(isFirst ? 500 : 200).end();
  });
  await t.createWebhook({ intermediate: true, schedule: [1, 1, 1] });

  await t.send(8);

  await t.receiver.until(
    (received) => received.filter((push) => push.report['status'] === 'Delivered').length === 8,
  );
  const told = Map.groupBy(t.receiver.received, (push) => push.report['messageId']);
  expect(told.size).toBe(8);
  for (const pushes of told.values()) {
    expect(
      pushes.map(({ report, headers }) => `${report['status']} ${String(headers['webhook-sequence'])}`),
    ).toEqual(['Sent 1', 'Sent 1', 'Delivered 2']);
    expect(new Set(pushes.slice(0, 2).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }
});

test('an end point that only fails is left alone, and gets all that waited once it is well', async () => {
  let isWell = false;
  await using t = await setup((_, response) => void response.writeHead(isWell ? 200 : 500).end());
  const id = await t.createWebhook();

  await t.send(60);
  await t.until(async () => (await t.stats(id)).breaker === 'open');
  await t.send(40);
  await t.until(async () => (await t.stats(id)).backlog === 100);
  await t.until(async () => (await t.stats(id)).failuresInRow === t.receiver.received.length);
  const calls = t.receiver.received.length;
  expect(calls).toBeLessThan(60);
  expect(await t.stats(id)).toMatchObject({
    nextAttemptAt: expect.any(String),
    latest: { delivered: 0, successRate: 0 },
  });

  await t.db.query('UPDATE endpoint SET open_until = now() WHERE webhook_id = $1', [id]);
  await t.until(async () => t.receiver.received.length === calls + 1);
  await t.until(async () => (await t.stats(id)).failuresInRow === calls + 1);
  isWell = true;
  await t.db.query('UPDATE endpoint SET open_until = now() WHERE webhook_id = $1', [id]);
  await t.db.query(
    'UPDATE push SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL AND starts = attempts',
  );

  await t.until(async () => (await t.stats(id)).backlog === 0);
  expect(new Set(t.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  expect(await t.stats(id)).toMatchObject({
    breaker: 'closed',
    failuresInRow: 0,
    latest: { delivered: 100, p50Ms: expect.any(Number) },
  });
}, 30_000);

test('what comes for a disabled webhook waits, and is pushed when it is enabled', async () => {
  let isGone = true;
  await using t = await setup((_, response) => void response.writeHead(isGone ? 410 : 200).end());
  const id = await t.createWebhook();
  await t.send(1);
  await t.until(async () => (await t.get<{ status: string }>(`${WEBHOOKS}/${id}`)).status === 'disabled');
  expect(await t.get(`${WEBHOOKS}/${id}`)).toMatchObject({
    disabledReason: 'the end point answered 410 Gone',
  });

  await t.send(3);
  await t.until(async () => (await t.stats(id)).backlog === 3);
  isGone = false;
  expect((await t.call({ path: `${WEBHOOKS}/${id}/enable` })).status).toBe(200);

  await t.receiver.until((received) => received.length === 4);
  expect(await t.get(`${WEBHOOKS}/${id}`)).toMatchObject({ status: 'enabled', disabledReason: null });
});

test('a rate is kept whatever comes', async () => {
  await using t = await setup();
  await t.createWebhook({ ratePerSecond: 20, maxInFlight: 64 });

  await t.send(60);

  await t.receiver.until((received) => received.length === 60);
  const times = t.receiver.received.map(({ at }) => at);
  const mostInASecond = Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
  );
  expect(mostInASecond).toBeLessThanOrEqual(26);
  expect(times.at(-1)! - times[0]!).toBeLessThan(6_000);
}, 20_000);

test('each delivery is listed with its calls, by status, message, recipient and time, page by page', async () => {
  await using t = await setup((_, response) => void response.writeHead(500).end('out of order'));
  const id = await t.createWebhook({ schedule: [], headers: [{ key: 'X-Id', value: '{{messageId}}' }] });
  const [messageId] = await t.send(5);
  await t.until(async () => (await t.list(id)).length === 5);

  const [delivery] = await t.list(id, `messageId=${messageId}`);
  expect(delivery).toMatchObject({
    messageId,
    status: 'exhausted',
    reason: 'bad_status',
    attempts: [{ responseStatus: 500, error: 'bad_status', answer: 'out of order' }],
  });
  expect(delivery!.attempts[0]!.requestHeaders).toMatchObject({
    'X-Id': messageId,
    'webhook-id': delivery!.id,
    'webhook-signature': 'v1,***',
  });
  expect(await t.list(id, 'status=delivered')).toEqual([]);
  expect(await t.list(id, 'status=exhausted&recipient=919800000100')).toHaveLength(5);
  expect(await t.list(id, 'recipient=919800000101')).toEqual([]);
  expect(await t.list(id, `to=${EARLY}`)).toEqual([]);
  expect(await t.list(id, `from=${EARLY}`)).toHaveLength(5);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer<Delivery[]> = await t.call<Delivery[]>({
      method: 'GET',
      path: `${WEBHOOKS}/${id}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`,
    });
    seen.push(...page.body.data.map((each) => each.id));
    cursor = page.body.nextCursor;
  }
  expect(seen).toEqual((await t.list(id)).map((each) => each.id));
  const { timeline } = await t.get<{ timeline: object[] }>(`/v1/messages/${messageId}`);
  expect(timeline).toContainEqual(
    expect.objectContaining({ event: 'push_exhausted', deliveryId: delivery!.id }),
  );
});

test('a delivery that was given up is made again under its old id, with its whole schedule', async () => {
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

test('a replay counts first, goes on at its own rate, tells how far it is, and can be cancelled', async () => {
  let isWell = false;
  await using t = await setup((_, response) => void response.writeHead(isWell ? 200 : 500).end());
  const id = await t.createWebhook({ schedule: [], maxInFlight: 64 });
  await t.send(9);
  await t.until(async () => (await t.list(id, 'status=exhausted')).length === 9);
  isWell = true;
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
}, 20_000);

test("another tenant's deliveries and replays are as absent as ones that never were, and bad input is refused field by field", async () => {
  await using t = await setup();
  const id = await t.createWebhook();
  await t.send(1);
  await t.until(async () => (await t.list(id)).length === 1);
  const [{ id: deliveryId }] = (await t.list(id)) as [Delivery];
  const { body } = await t.call<Replay>({ path: `${WEBHOOKS}/${id}/replay`, body: { from: EARLY } });
  const stranger = await t.addKey('stranger');
  const none = '01900000-0000-7000-8000-000000000001';

  for (const [method, path, absent] of [
    ['GET', `${WEBHOOKS}/${id}/deliveries`, `${WEBHOOKS}/${none}/deliveries`],
    ['GET', `${WEBHOOKS}/${id}/stats`, `${WEBHOOKS}/x/stats`],
    ['POST', `${WEBHOOKS}/${id}/enable`, `${WEBHOOKS}/${none}/enable`],
    ['GET', `/v1/webhook-deliveries/${deliveryId}`, `/v1/webhook-deliveries/${none}_${none}`],
    ['POST', `/v1/webhook-deliveries/${deliveryId}/replay`, '/v1/webhook-deliveries/x/replay'],
    ['GET', `${WEBHOOKS}/${id}/replays/${body.data.id}`, `${WEBHOOKS}/${none}/replays/${none}`],
    ['POST', `${WEBHOOKS}/${id}/replays/${body.data.id}/cancel`, `${WEBHOOKS}/${none}/replays/x/cancel`],
  ] as const) {
    const foreign = await t.call({ method, path, headers: { apikey: stranger } });
    expect([path, foreign.status]).toEqual([path, 404]);
    expect(sameForAll(foreign)).toBe(sameForAll(await t.call({ method, path: absent })));
  }
  const bad = await t.call({
    method: 'GET',
    path: `${WEBHOOKS}/${id}/deliveries?status=lost&from=yesterday&recipient=0&limit=0&cursor=x`,
  });
  expectFailure(bad, 400, 'invalid_request', [
    'status not_allowed_value',
    'recipient invalid_format',
    'limit out_of_range',
    'from invalid_format',
  ]);
  expectFailure(
    await t.call({ method: 'GET', path: `${WEBHOOKS}/${id}/deliveries?cursor=x` }),
    400,
    'invalid_request',
    ['cursor invalid_format'],
  );
  const badReplay = { to: 1, status: [], ratePerSecond: 0, dryRun: 'yes' };
  expectFailure(await t.call({ path: `${WEBHOOKS}/${id}/replay`, body: badReplay }), 400, 'invalid_request', [
    'from required',
    'to invalid_type',
    'status too_few_items',
    'ratePerSecond out_of_range',
    'dryRun invalid_type',
  ]);
  for (const from of ['2026-W01-1', '2026-02-30T00:00:00Z', '2026-01-01']) {
    expectFailure(
      await t.call({ path: `${WEBHOOKS}/${id}/replay`, body: { from } }),
      400,
      'invalid_request',
      ['from invalid_format'],
    );
  }
  expect(await t.list(id, 'from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z')).toHaveLength(1);
  expect(await t.list(id, 'to=0001-01-01T00:00:00Z')).toEqual([]);
  const backwards = await t.call({
    path: `${WEBHOOKS}/${id}/replay`,
    body: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
  });
  expectFailure(backwards, 400, 'invalid_request', ['to out_of_range']);
});

interface Settings {
  intermediate?: boolean;
  schedule?: number[];
  maxInFlight?: number;
  ratePerSecond?: number;
  headers?: { key: string; value: string }[];
}

/** An account and an end point of its own. */
async function setup(answer?: (push: ReceivedPush, response: ServerResponse) => void) {
  const apikey = await api.addKey(randomUUID());
  const receiver = await startReceiver(answer);
  const call = <D>({ headers, ...rest }: Call) => api.call<D>({ ...rest, headers: { apikey, ...headers } });
  const get = async <D>(path: string): Promise<D> => (await call<D>({ method: 'GET', path })).body.data;
  return {
    ...api,
    receiver,
    call,
    get,
    list: (id: string, query = '') => get<Delivery[]>(`${WEBHOOKS}/${id}/deliveries?${query}`),
    stats: (id: string) => get<Stats>(`${WEBHOOKS}/${id}/stats`),
    until: (ask: () => Promise<boolean>) =>
      waitFor(ask, { timeoutMs: 15_000, otherwise: 'it did not come to that' }),
    createWebhook: async (settings: Settings = {}) => {
      const { body } = await call<{ id: string }>({
        path: WEBHOOKS,
        body: { name: 'reports', endPoint: receiver.url, ...settings },
      });
      return body.data.id;
    },
    send: async (count: number) => {
      const to = Array.from({ length: count }, () => GOOD_SMS.to);
      const { body } = await call<{ messageId: string }[]>({ body: { ...GOOD_SMS, to } });
      return body.data.map(({ messageId }) => messageId);
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
