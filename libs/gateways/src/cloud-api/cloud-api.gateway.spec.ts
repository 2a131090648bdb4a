import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ID, MESSAGE, NUMBER, openGateway, refuse, setup } from '../../test/cloud-api.ts';
import { WAIT, describeGateway } from '../../test/gateway.conformance.ts';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  type GraphServer,
  TOKEN,
  WABA,
  graphError,
  graphRow,
  startGraph,
} from '@signalbox/test/graph-server';
import type { OutgoingChatMessage } from '../chat-app-gateway.ts';
import { findSuspects } from '../connection.ts';
import { readSettings } from '../read-settings.ts';
import { BusinessNumbers } from './business-numbers.ts';
import { readCloudApiCallback } from './callback.ts';
import { GraphClient } from './graph-client.ts';
import { CLOUD_API_KIND } from './kind.ts';

/** Reports the messages that the fake took, as its webhooks do. */
function delivered(graph: GraphServer) {
  const statuses = graph.sent.map(({ biz_opaque_callback_data }, i) => ({
    id: `wamid.${i + 1}`,
    status: 'delivered',
    timestamp: '1780000000',
    biz_opaque_callback_data,
  }));
  const entry = [{ changes: [{ field: 'messages', value: { statuses } }] }];
  return readCloudApiCallback(Buffer.from(JSON.stringify({ entry }))).reports;
}

async function openOnFake(answers: 'all' | 'none' = 'all') {
  const graph = await startGraph(NUMBER);
  if (answers === 'none')
    graph.intercept = ({ path }) => (path.endsWith('/messages') ? { silent: true } : undefined);
  const { gateway } = openGateway(graph.url);
  while (gateway.state().status === 'connecting') await setImmediate();
  return {
    gateway,
    get reports() {
      return delivered(graph);
    },
    end: async () => graph[Symbol.asyncDispose](),
  };
}

describeGateway<OutgoingChatMessage>('CloudApiGateway', {
  open: () => openOnFake(),
  openSilent: () => openOnFake('none'),
  openDown: () => ({ gateway: openGateway('http://127.0.0.1:1').gateway, reports: [] }),
  canQuery: false,
  message: (fields) => ({ ...MESSAGE, ...fields }),
});

test('an accepted message keeps the id of WhatsApp, and carries ours', async () => {
  await using t = await setup();
  expect(await t.submit()).toEqual({
    messageId: `${ID}:1`,
    result: 'accepted',
    gatewayMessageIds: ['wamid.1'],
  });
  expect(t.graph.sent).toMatchObject([{ biz_opaque_callback_data: `${ID}:1`, to: '919800000001' }]);
});

test.each<[number, object]>([
  [4, { result: 'throttled', scope: 'gateway', retryAfterMs: 60_000 }],
  [80007, { result: 'throttled', scope: 'gateway' }],
  [130429, { result: 'throttled', scope: 'sender', retryAfterMs: 2_000 }],
  [131056, { result: 'throttled', scope: 'pair', retryAfterMs: 4_000 }],
  [131048, { result: 'throttled', scope: 'sender', retryAfterMs: 7_200_000 }],
  [131000, { result: 'throttled', scope: 'message', retryAfterMs: 10_000, isFault: true }],
  [131016, { result: 'throttled', scope: 'message' }],
  [133004, { result: 'throttled', scope: 'message' }],
  [131053, { result: 'throttled', scope: 'message' }],
  [132015, { result: 'throttled', scope: 'message' }],
  [131026, { result: 'rejected', errCode: '001' }],
  [130497, { result: 'rejected', errCode: '011', tryOther: true }],
  [131047, { result: 'rejected', errCode: '014' }],
  [131049, { result: 'rejected', errCode: '010' }],
  [131050, { result: 'rejected', errCode: '010' }],
  [131008, { result: 'rejected', errCode: '013' }],
  [132001, { result: 'rejected', errCode: '015' }],
  [190, { result: 'throttled', scope: 'gateway' }],
  [10, { result: 'throttled', scope: 'gateway' }],
  [200, { result: 'throttled', scope: 'gateway' }],
  [131031, { result: 'throttled', scope: 'sender' }],
  [33, { result: 'throttled', scope: 'sender' }],
  [2_494_100, { result: 'throttled', scope: 'sender' }],
  [131042, { result: 'throttled', scope: 'sender' }],
  [999_999, { result: 'rejected', errCode: '099' }],
])('the refusal %s becomes %j', async (code, expected) => {
  await using t = await setup(refuse(code, { error_data: { details: 'Because' } }));
  const outcome = await t.submit();
  expect(outcome).toMatchObject(expected);
  if (outcome.result === 'rejected')
    expect(outcome).toMatchObject({ gatewayCode: String(code), description: 'Because' });
});

test.each([
  [131000, 3, { errCode: '006', tryOther: true }],
  [131053, 2, {}],
])(
  'the passing refusal %i fails the message the %ith time, however often it has waited',
  async (code, times, refusal) => {
    await using t = await setup(refuse(code));
    for (let time = 1; time < times; time += 1)
      expect((await t.submit({ attempt: 40 + time })).result).toBe('throttled');
    expect(await t.submit({ attempt: 50 })).toMatchObject({ result: 'rejected', ...refusal });
  },
);

test('an unknown refusal that Meta calls transient, or a fault of its server, is tried again', async () => {
  await using t = await setup(refuse(777, { is_transient: true }));
  expect(await t.submit()).toMatchObject({ result: 'throttled', scope: 'message' });
  t.graph.intercept = refuse(777, {}, 503);
  expect(await t.submit()).toMatchObject({ result: 'throttled', scope: 'message', retryAfterMs: 30_000 });
  expect(await t.submit()).toMatchObject({ result: 'rejected', errCode: '006', tryOther: true });
});

test('the delay of a pair quadruples with each refusal, up to an hour', async () => {
  await using t = await setup(refuse(131056));
  const delays = [];
  for (let time = 1; time <= 7; time += 1) {
    const outcome = await t.submit({ attempt: 40 + time });
    delays.push(outcome.result === 'throttled' ? outcome.retryAfterMs : 0);
  }
  expect(delays).toEqual([4_000, 16_000, 64_000, 256_000, 1_024_000, 4_096_000, 4_096_000]);
});

test('close lets the calls in flight end, and those that wait for the pace are throttled', async () => {
  const answer = Promise.withResolvers<void>();
  await using t = await setup(
    ({ path }) => (path.endsWith('/messages') ? { after: answer.promise } : undefined),
    {
      messagesPerSecond: 1,
    },
  );
  const submitting = [t.submit(), t.submit({ messageId: `${ID}:2` })];
  await waitFor(() => t.graph.requests.some(({ path }) => path.endsWith('/messages')));

  const closing = t.gateway.close();
  expect(await submitting[1]).toMatchObject({ result: 'throttled' });
  answer.resolve();
  await closing;

  expect(await submitting[0]).toMatchObject({ result: 'accepted' });
});

test.each<[string, ReturnType<GraphServer['intercept']>]>([
  ['an answer without a body', { status: 502, body: '<html>Bad gateway</html>' }],
  ['a success without an id', { body: { messages: [] } }],
  ['a cut connection', { cut: true }],
])('after %s the message is unconfirmed', async (_name, answer) => {
  await using t = await setup(({ path }) => (path.endsWith('/messages') ? answer : undefined));
  expect(await t.submit()).toEqual({ messageId: `${ID}:1`, result: 'unconfirmed' });
});

test('a number that Meta blocks sends nothing, and the other numbers send', async () => {
  await using t = await setup(({ path }) => (path === '/106540/messages' ? graphError(131_031) : undefined));

  await t.submit();
  const before = t.graph.requests.length;
  const [blocked, other] = [await t.submit(), await t.submit({ sender: '15550100002' })];

  expect(blocked).toMatchObject({ result: 'throttled', scope: 'sender' });
  expect(other.result).toBe('accepted');
  expect(t.graph.requests.length).toBe(before + 1);
  expect(t.gateway.state()).toMatchObject({ status: 'up', reason: expect.stringContaining('locked') });
  expect(t.alarms).toMatchObject([
    { event: 'gateway.alarm', fields: { code: 131_031, number: '*******3881' } },
  ]);
});

test('an expired token takes the gateway down and says what to do', async () => {
  await using t = await setup(refuse(190, {}, 401));
  await t.submit();
  expect(t.gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringContaining('make a new one and save it as accessToken'),
  });
  const before = t.graph.requests.length;
  expect(await t.submit()).toMatchObject({ result: 'throttled', scope: 'gateway' });
  expect(t.graph.requests.length).toBe(before);
});

test('a gateway whose numbers cannot be read says why, and loses nothing', async () => {
  await using t = await setup(({ path }) =>
    path === `/${WABA}/phone_numbers` ? graphError(190, {}, 401) : undefined,
  );
  expect(await t.submit()).toMatchObject({ result: 'throttled', scope: 'gateway' });
  expect(t.gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringContaining('Make a new access token'),
  });
});

test('a sender that the account does not have is refused, for another gateway to try', async () => {
  await using t = await setup();
  expect(await t.submit({ sender: '15550999999' })).toMatchObject({
    result: 'rejected',
    errCode: '007',
    tryOther: true,
  });
});

test('a number that the list lacks is not refused while the list cannot be read', async () => {
  await using t = await setup();
  const options = { gateway: 'whatsapp', version: 'v25.0', timeoutMs: 5_000, connections: 1 };
  const at = { baseUrl: t.graph.url, allowPrivateNetwork: true, accessToken: TOKEN };
  const client = new GraphClient({ ...at, ...options });
  let now = 0;
  const numbers = new BusinessNumbers(client, WABA, () => now);
  await numbers.load();
  t.graph.intercept = () => graphError(2, {}, 500);

  now = 60_000;
  expect(await numbers.find('15550999999')).toBe('unknown');
  expect(await numbers.find(NUMBER)).toMatchObject({ msisdn: NUMBER });
  t.graph.intercept = () => undefined;
  now = 120_000;
  expect(await numbers.find('15550999999')).toBeUndefined();
  await client.close();
});

test('a rate limit of the number cuts its pace', async () => {
  await using t = await setup(refuse(130429));
  await t.submit();
  const { ratePerSecond } = t.gateway.state().detail;
  expect(Number(ratePerSecond)).toBeGreaterThanOrEqual(56);
  expect(Number(ratePerSecond)).toBeLessThan(80);
});

test('what the pace of a number does not allow before the deadline is throttled', async () => {
  await using t = await setup(() => undefined, { messagesPerSecond: 1 });
  const messages = [1, 2, 3].map((n) => ({ ...MESSAGE, messageId: `${ID}:${n}` }));
  await t.submit();
  const outcomes = await t.gateway.submit(messages, { ...WAIT, deadlineMs: 300 });
  expect(outcomes.at(-1)).toMatchObject({ result: 'throttled', scope: 'message' });
});

test('query reports what the message history knows', async () => {
  const data = [
    { delivery_status: 'SENT', timestamp: 1_780_000_000 },
    { delivery_status: 'FAILED', timestamp: 1_780_000_001, error_description: 'Undeliverable' },
  ];
  await using t = await setup(({ path, query }) =>
    path === '/106541/message_history' && query.get('message_id') === 'wamid.9'
      ? { body: { data: [{ id: '1', message_id: 'wamid.9', events: { data } }] } }
      : undefined,
  );
  const reports: object[] = [];
  t.gateway.onReports(async (given) => void reports.push(...given));
  await t.submit();

  await t.gateway.query([
    { messageId: `${ID}:9`, recipient: '1', gatewayMessageIds: ['wamid.9'] },
    { messageId: `${ID}:8`, recipient: '1' },
  ]);

  expect(reports).toMatchObject([
    { messageId: `${ID}:9`, status: 'SENT', reportedAt: new Date(1_780_000_000_000) },
    { messageId: `${ID}:9`, status: 'FAILED', errCode: '099', description: 'Undeliverable' },
  ]);
});

test('query returns the messages that it could not ask about', async () => {
  await using t = await setup(() => ({ body: { data: [] } }));
  t.gateway.onReports(async () => undefined);
  const messages = Array.from({ length: 201 }, (_, i) => ({
    messageId: `${ID}:${i + 1}`,
    recipient: '1',
    gatewayMessageIds: [`wamid.${i}`],
  }));
  await t.submit();
  expect(await t.gateway.query(messages)).toEqual([messages[200]]);

  await t.gateway.close();
  expect(await t.gateway.query(messages)).toEqual(messages);
});

test('an exception in a call is traced to its gateway, and not to who waits for the call', async () => {
  await using t = await setup();
  const traced = new Set<string>();
  const trace = () => void traced.add(JSON.stringify(findSuspects()));

  subscribe('undici:request:headers', trace); // undici publishes from the middle of its parser
  await t.submit();
  unsubscribe('undici:request:headers', trace);

  expect([...traced]).toEqual([JSON.stringify([{ gateway: t.gateway.name }])]);
  expect(findSuspects()).toEqual([]);
});

test('settings and secrets that are wrong are named with what to do', () => {
  const read = readSettings(CLOUD_API_KIND, { businessAccountId: 'x', version: '25' }, { accessToken: 'a' });
  expect('problems' in read && read.problems.map(({ field }) => field)).toEqual([
    'settings.businessAccountId',
    'settings.version',
    'secrets.appSecret',
    'secrets.verifyToken',
  ]);
});

test.each([
  ['http://127.0.0.1:4000', false, 'is a private address: '],
  ['http://graph.localhost', false, 'is a private address: '],
  ['http://169.254.169.254', true, 'is an address that no gateway may call'],
  ['https://graph.facebook.com', false, undefined],
  ['http://127.0.0.1:4000', true, undefined],
])('the address %s with allowPrivateNetwork %s is checked', (baseUrl, allowPrivateNetwork, problem) => {
  const { settings, secrets } = graphRow(baseUrl);
  const read = readSettings(CLOUD_API_KIND, { ...settings, allowPrivateNetwork }, secrets);
  const field = 'settings.baseUrl';
  expect(read).toMatchObject(
    problem === undefined
      ? { settings: { baseUrl } }
      : { problems: [{ field, problem: expect.stringContaining(problem) }] },
  );
});

test('a call to a private address is not sent', async () => {
  await using t = await setup();
  const row = { gateway: 'whatsapp', version: 'v25.0', timeoutMs: 5_000, connections: 1, accessToken: TOKEN };
  const client = new GraphClient({ ...row, baseUrl: t.graph.url, allowPrivateNetwork: false });
  const answer = await client.call({ method: 'GET', path: '/1' });
  expect(answer).toEqual({ result: 'unreachable', reason: expect.stringContaining('allowPrivateNetwork') });
  await client.close();
});
