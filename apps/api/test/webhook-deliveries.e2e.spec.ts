import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { type Answer, type ApiUnderTest, expectFailure } from './api-under-test.ts';
import { type Delivery, EARLY, WEBHOOKS, setUpEndpoint, startPushingApi } from './deliveries-under-test.ts';

interface Health {
  webhookId: string;
  backlog: number;
  failuresInRow: number;
  hours: { calls: number; failures: number }[];
}

const sum = (health: Health | undefined, of: 'calls' | 'failures'): number =>
  (health?.hours ?? []).reduce((total, hour) => total + hour[of], 0);

let api: ApiUnderTest;
beforeAll(async () => {
  api = await startPushingApi();
});
afterAll(async () => api[Symbol.asyncDispose]());

test('a status is pushed after every earlier one of its message, also after a failed push', async () => {
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
  const pushed = Map.groupBy(t.receiver.received, (push) => push.report['messageId']);
  expect(pushed.size).toBe(8);
  for (const pushes of pushed.values()) {
    expect(
      pushes.map(({ report, headers }) => `${report['status']} ${String(headers['webhook-sequence'])}`),
    ).toEqual(['Sent 1', 'Sent 1', 'Delivered 2']);
    expect(new Set(pushes.slice(0, 2).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }
});

test('a failing endpoint is left alone, and gets its backlog once it recovers', async () => {
  let isUp = false;
  await using t = await setup((_, response) => void response.writeHead(isUp ? 200 : 500).end());
  const id = await t.createWebhook();

  await t.send(60);
  await t.until(async () => (await t.stats(id)).breaker === 'open');
  await t.send(40);
  await t.until(async () => (await t.stats(id)).backlog === 100);
  await t.until(async () => (await t.stats(id)).failuresInRow === t.receiver.received.length);
  const calls = t.receiver.received.length;
  expect(calls).toBeLessThan(60);
  const nextAttemptAt = '2126-11-26T10:00:00.000Z';
  await t.db.query('UPDATE endpoint SET open_until = $2 WHERE webhook_id = $1', [id, nextAttemptAt]);
  expect(await t.stats(id)).toMatchObject({ nextAttemptAt, latest: { delivered: 0, successRate: 0 } });
  expect(await t.get(`${WEBHOOKS}/health`)).toMatchObject([{ nextAttemptAt }]);
  const [delivery] = await t.list(id, 'limit=1');
  expect(delivery).toMatchObject({ nextAttemptAt });
  const { timeline } = await t.get<{ timeline: object[] }>(`/v1/messages/${delivery!.messageId}`);
  expect(timeline).toContainEqual(expect.objectContaining({ event: 'push_waiting', nextAttemptAt }));

  await t.db.query('UPDATE endpoint SET open_until = now() WHERE webhook_id = $1', [id]);
  await t.until(async () => t.receiver.received.length === calls + 1);
  await t.until(async () => (await t.stats(id)).failuresInRow === calls + 1);
  // the failure of a call is counted before its push is recorded
  await t.until(async () => (await countClaimed(t.db, id)) === 0);
  isUp = true;
  await t.db.query(
    'UPDATE push SET next_attempt_at = now() WHERE webhook_id = $1 AND next_attempt_at IS NOT NULL',
    [id],
  );
  // last, since a probe skips locked pushes
  await t.db.query('UPDATE endpoint SET open_until = now() WHERE webhook_id = $1', [id]);

  await t.until(async () => (await t.stats(id)).backlog === 0);
  expect(new Set(t.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  expect(await t.stats(id)).toMatchObject({
    breaker: 'closed',
    failuresInRow: 0,
    latest: { delivered: 100, p50Ms: expect.any(Number) },
  });
});

test('the health of all webhooks shows why one fails, its calls by hour and its backlog', async () => {
  await using t = await setup((_, response) => void response.writeHead(503).end());
  const id = await t.createWebhook({ schedule: [3600] });
  const other = await t.call<{ id: string }>({
    path: WEBHOOKS,
    body: { name: 'idle', endPoint: t.receiver.url, filters: { sender: ['NOBODY'] } },
  });
  await t.send(3);
  const health = () => t.get<Health[]>(`${WEBHOOKS}/health?hours=2`);

  // the state of an endpoint is stored apart from its calls
  await t.until(async () => {
    const [, failing] = await health();
    return sum(failing, 'calls') === 3 && failing?.failuresInRow === 3;
  });

  const [idle, failing] = await health();
  expect(idle).toMatchObject({ webhookId: other.body.data.id, called: false, backlog: 0, lastFailure: null });
  expect(failing).toMatchObject({
    webhookId: id,
    called: true,
    breaker: 'closed',
    failuresInRow: 3,
    backlog: 3,
    lastFailure: { responseStatus: 503, error: 'bad_status' },
  });
  expect(failing?.hours).toHaveLength(2);
  expect(sum(failing, 'failures')).toBe(3);
  const healthOf = () => t.get<Health[]>(`${WEBHOOKS}/health?webhookId=${id}`);
  expect(await healthOf()).toHaveLength(1);
  // a call is known before its hour is stored
  await t.db.query('DELETE FROM endpoint_hour WHERE webhook_id = $1', [id]);
  expect(await healthOf()).toMatchObject([{ called: true }]);
});

test('an account disables its webhook, whose reports wait until it is enabled', async () => {
  await using t = await setup();
  const id = await t.createWebhook();

  const disabled = await t.call({ path: `${WEBHOOKS}/${id}/disable` });

  expect(disabled.body.data).toMatchObject({ status: 'disabled', disabledReason: 'disabled by the account' });
  await t.send(1);
  await t.until(async () => (await t.list(id, 'status=waiting')).length === 1);
  expect(t.receiver.received).toEqual([]);
  const [waiting] = await t.list(id);
  expect(waiting).toMatchObject({ nextAttemptAt: null });
  expect(await t.stats(id)).toMatchObject({ backlog: 1, nextAttemptAt: null });
  expect(await t.get(`${WEBHOOKS}/health`)).toMatchObject([{ backlog: 1, nextAttemptAt: null }]);
  const { timeline } = await t.get<{ timeline: object[] }>(`/v1/messages/${waiting!.messageId}`);
  const event = timeline.find((each) => 'deliveryId' in each && each.deliveryId === waiting!.id);
  expect(event).toMatchObject({ event: 'push_waiting' });
  expect(event).not.toHaveProperty('nextAttemptAt');
  await t.call({ path: `${WEBHOOKS}/${id}/enable` });
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 1);
  const foreign = await api.call({
    path: `${WEBHOOKS}/${id}/disable`,
    headers: { apikey: await api.addKey('stranger') },
  });
  expectFailure(foreign, 404, 'webhook_not_found');
});

test('a change disables a webhook, whose reports wait until another enables it', async () => {
  await using t = await setup();
  const id = await t.createWebhook();
  const change = async (body: object) =>
    (await t.call({ method: 'PATCH', path: `${WEBHOOKS}/${id}`, body })).body.data;

  expect(await change({ enabled: false })).toMatchObject({
    status: 'disabled',
    disabledReason: 'disabled by the account',
  });
  await t.send(1);
  await t.until(async () => (await t.list(id, 'status=waiting')).length === 1);
  expect(await change({ name: 'renamed' })).toMatchObject({ name: 'renamed', status: 'disabled' });
  expect(t.receiver.received).toEqual([]);

  expect(await change({ enabled: true })).toMatchObject({ status: 'enabled', disabledReason: null });
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 1);
});

test('reports for a disabled webhook wait, and are pushed once it is enabled', async () => {
  let isGone = true;
  await using t = await setup((_, response) => void response.writeHead(isGone ? 410 : 200).end());
  const id = await t.createWebhook();
  await t.send(1);
  await t.until(async () => (await t.get<{ status: string }>(`${WEBHOOKS}/${id}`)).status === 'disabled');
  expect(await t.get(`${WEBHOOKS}/${id}`)).toMatchObject({
    disabledReason: 'the endpoint returned 410 Gone',
  });

  await t.send(3);
  await t.until(async () => (await t.stats(id)).backlog === 3);
  isGone = false;
  expect((await t.call({ path: `${WEBHOOKS}/${id}/enable` })).status).toBe(200);

  await t.receiver.until((received) => received.length === 4);
  expect(await t.get(`${WEBHOOKS}/${id}`)).toMatchObject({ status: 'enabled', disabledReason: null });
});

test('a push that gets a 410 from an address that its webhook has left goes to the new one', async () => {
  await using t = await setup(({ url }, response) => {
    if (url === '/moved') return void response.end();
    const endPoint = `${t.receiver.url}/moved`;
    void t
      .call({ method: 'PATCH', path: `${WEBHOOKS}/${id}`, body: { endPoint } })
      .then(() => response.writeHead(410).end());
  });
  const id = await t.createWebhook({ schedule: [1] });
  await t.send(1);
  await t.until(async () => (await t.list(id, 'status=delivered')).length === 1);

  expect(await t.get(`${WEBHOOKS}/${id}`)).toMatchObject({ status: 'enabled', disabledReason: null });
  const [first, second] = t.receiver.received.map(({ url, headers }) => ({ url, id: headers['webhook-id'] }));
  expect([first!.id === second!.id, second!.url]).toEqual([true, '/moved']);
});

test('a webhook that gets another address starts without the failures of the old one', async () => {
  await using t = await setup(
    ({ url }, response) => void response.writeHead(url === '/moved' ? 200 : 500).end(),
  );
  const id = await t.createWebhook();
  await t.send(60);
  await t.until(async () => (await t.stats(id)).breaker === 'open');

  await t.call({ method: 'PATCH', path: `${WEBHOOKS}/${id}`, body: { name: 'renamed' } });
  expect((await t.stats(id)).breaker).toBe('open');
  await t.call({
    method: 'PATCH',
    path: `${WEBHOOKS}/${id}`,
    body: { endPoint: `${t.receiver.url}/moved` },
  });

  expect((await t.stats(id)).breaker).toBe('closed');
  await t.until(async () => (await t.list(id, 'status=delivered&limit=200')).length === 60);
  await t.until(async () => (await t.stats(id)).failuresInRow === 0);
});

test('pushes keep the rate of their webhook under any load', async () => {
  await using t = await setup();
  await t.createWebhook({ ratePerSecond: 20, maxInFlight: 64 });

  await t.send(60);

  await t.receiver.until((received) => received.length === 60);
  const times = t.receiver.received.map(({ at }) => at);
  // a burst of at most 20, then 20 a second
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(1_500);
});

test('deliveries are listed with their calls, filtered and page by page', async () => {
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

/** Counts the pushes of a webhook that a worker has claimed. */
async function countClaimed(db: EntityManager, webhookId: string): Promise<number> {
  const [{ count }] = await db.query(
    `SELECT count(*)::integer AS count
       FROM push
      WHERE webhook_id = $1
        AND (starts > attempts OR error = 'in_flight')`,
    [webhookId],
  );
  return count;
}

const setup = (answer?: Parameters<typeof setUpEndpoint>[1]) => setUpEndpoint(api, answer);
