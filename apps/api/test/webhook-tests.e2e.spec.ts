import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PLACEHOLDERS } from '@signalbox/domain/webhooks/report-fields';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ReceivedPush, type Receiver, startReceiver } from '@signalbox/test/receiver';
import { accept, newChat } from '@signalbox/test/rows';
import { Webhook } from 'standardwebhooks';
import {
  type Answer,
  type ApiUnderTest,
  GOOD_SMS,
  expectFailure,
  expectRefused,
  sameForAll,
  startApi,
} from './api-under-test.ts';
import { ScriptedGateway, delivered } from './scripted-gateway.ts';

const PREVIEW = '/v1/webhooks/preview';
const GOOD = { endPoint: 'https://198.41.0.4/hook' };

const started = new AsyncDisposableStack();
let t: ApiUnderTest;
let receiver: Receiver;
let respond: (response: ServerResponse) => void = (response) => response.end('thank you');

beforeAll(async () => {
  receiver = started.use(await startReceiver((_, response) => respond(response)));
  const gateway = new ScriptedGateway(() => [[delivered({ description: 'As promised' })]]);
  t = started.use(await startApi({ workers: ['sms', 'dlr'], gateway }));
});
afterAll(() => started.disposeAsync());

interface Preview {
  method: string;
  url: string;
  headers: Record<string, string>;
  query: Record<string, string> | null;
  body: string | null;
}

interface Tested {
  ok: boolean;
  status: number | null;
  error: string | null;
  answer: string;
  request: Preview;
}

const preview = (body: object, apikey = t.p.apiKey): Promise<Answer<Preview>> =>
  t.call({ path: PREVIEW, body, headers: { apikey } });
const tryOut = (id: string, apikey: string, query = ''): Promise<Answer<Tested>> =>
  t.call({ path: `/v1/webhooks/${id}/test${query}`, headers: { apikey } });

/** Adds an account with a webhook at the receiver. */
async function setup(name: string, fields: object = {}) {
  const apikey = await t.addKey(name);
  const body = { name, endPoint: `${receiver.url}/${name}`, ...fields };
  const { id, secret } = (
    await t.call<{ id: string; secret: string }>({ path: '/v1/webhooks', body, headers: { apikey } })
  ).body.data;
  return {
    apikey,
    id,
    secret,
    received: () => receiver.received.filter(({ url }) => url.startsWith(`/${name}`)),
  };
}

test('a preview shows every placeholder in a header, and the body of a POST', async () => {
  const headers = PLACEHOLDERS.map((name) => ({ key: `X-${name}`, value: `{{${name}}}` }));

  const { data } = (await preview({ ...GOOD, headers })).body;

  const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, data.headers[`X-${name}`]]));
  expect(values).toEqual({
    messageId: '00000000-0000-7000-8000-000000000000:1',
    mobileNumber: '15550100000',
    senderName: 'SAMPLE',
    errCode: '000',
    status: 'Delivered',
    createdAt: '1767225600000',
    deliveredDate: 'Thu Jan 01 2026 00:00:02 GMT+0000 (Coordinated Universal Time)',
    statusDescription: 'A sample, not a message',
    messageCredit: '1',
    gatewayName: 'sample',
    operatorCircle: 'UNKNOWN',
  });
  expect(data).toMatchObject({ method: 'POST', url: GOOD.endPoint, query: null });
  expect(JSON.parse(data.body ?? '')).toEqual(values);
  expect(data.headers).toHaveProperty('webhook-signature');
});

test('a preview shows the query of a GET and of its endpoint', async () => {
  const { data } = (
    await preview({
      endPoint: 'https://198.41.0.4/hook?tenant=7#part',
      method: 'GET',
      fields: ['gatewayName'],
    })
  ).body;

  expect(data).toMatchObject({
    method: 'GET',
    body: null,
    query: { tenant: '7', gatewayName: 'sample', status: 'Delivered' },
  });
  expect(data.url).toMatch(/^https:\/\/198\.41\.0\.4\/hook\?tenant=7&messageId=[^#]*$/);
});

test('a preview of a message shows its current report to its account only', async () => {
  const { body } = await t.call({ body: { ...GOOD_SMS, text: 'x'.repeat(200) } });
  const messageId = `${body.id}:1`;
  const status = async () =>
    (await t.call<{ status: string }>({ method: 'GET', path: `/v1/messages/${messageId}` })).body.data.status;
  await waitFor(async () => (await status()) === 'Delivered', {
    otherwise: 'the message was not delivered',
  });

  const shown = await preview({ ...GOOD, messageId, fields: ['messageCredit', 'gatewayName'] });

  expect(JSON.parse(shown.body.data.body ?? '')).toMatchObject({
    messageId,
    mobileNumber: GOOD_SMS.to,
    senderName: 'SIGNALBX',
    status: 'Delivered',
    statusDescription: 'As promised',
    messageCredit: '2',
    gatewayName: 'scripted',
  });
  const stranger = await t.addKey('Looks at others');
  const absent = await preview({ ...GOOD, messageId: `${crypto.randomUUID()}:1` }, stranger);
  expectFailure(absent, 404, 'message_not_found');
  expect(sameForAll(await preview({ ...GOOD, messageId }, stranger))).toBe(sameForAll(absent));
});

test('a preview applies the rules of a webhook and stores nothing', async () => {
  await expectRefused(
    t,
    {
      path: PREVIEW,
      body: { endPoint: 'x', method: 'PUT', headers: [{ key: 'Host', value: 'x' }], messageId: 7 },
    },
    400,
    'invalid_request',
    [
      'messageId invalid_type',
      'method not_allowed_value',
      'endPoint invalid_format',
      'headers[0].key not_allowed_value',
      'headers[0].value not_allowed_value',
    ],
  );
  await expectRefused(t, { path: PREVIEW, body: {} }, 400, 'invalid_request', ['endPoint required']);
  await expectRefused(
    t,
    { path: PREVIEW, body: { endPoint: 'http://169.254.169.254/' } },
    400,
    'invalid_request',
    ['endPoint endpoint_forbidden'],
  );
});

test.each(['GET', 'POST'])(
  'a test calls with a %s that is signed and says that it is a test',
  async (method) => {
    const hook = await setup(`tested-by-${method}`, {
      method,
      headers: [{ key: 'X-Status', value: '{{status}}' }],
    });

    const answer = await tryOut(hook.id, hook.apikey);

    const [push] = hook.received() as [ReceivedPush];
    expect([answer.status, answer.body.message]).toEqual([200, 'The endpoint accepted the sample.']);
    expect(answer.body.data).toMatchObject({ ok: true, status: 200, error: null, answer: 'thank you' });
    expect(push.headers).toMatchObject({
      'webhook-test': 'true',
      'webhook-id': expect.stringMatching(/^test_/),
      'x-status': 'Delivered',
    });
    new Webhook(hook.secret).verify(
      method === 'GET' ? push.url : push.body,
      push.headers as Record<string, string>,
      { jsonParse: false },
    );
    expect(answer.body.data.request).toMatchObject({ method, body: method === 'GET' ? null : push.body });
    expect(await t.db.query('SELECT FROM push WHERE webhook_id = $1', [hook.id])).toEqual([]);
  },
);

test('a preview and a test of a webhook with batches show a batch of one', async () => {
  const batch = { max: 100, waitMs: 200 };
  const { id, secret, apikey } = await setup('batched', { batch });

  const shown = (await preview({ ...GOOD, batch })).body.data.body ?? '';
  await tryOut(id, apikey);

  const call = receiver.received.at(-1)!;
  const [item] = new Webhook(secret).verify(call.body, call.headers as Record<string, string>) as object[];
  expect(item).toMatchObject({ id: call.headers['webhook-id'], sequence: 1, body: { status: 'Delivered' } });
  expect(JSON.parse(shown)).toEqual([{ ...item, id: '<the same for every attempt with the same reports>' }]);
});

test('a failed test of a disabled webhook shows the error and 1,024 characters', async () => {
  const hook = await setup('failing');
  await t.db.query(`UPDATE webhook SET disabled_at = now(), disabled_reason = 'x' WHERE id = $1`, [hook.id]);
  respond = (response) => response.writeHead(500).end('\u0000😀'.repeat(2_000));

  const { body } = await tryOut(hook.id, hook.apikey);

  respond = (response) => response.end('thank you');
  expect(body.message).toBe('The endpoint did not accept the sample: bad_status.');
  expect(body.data).toMatchObject({
    ok: false,
    status: 500,
    error: 'bad_status',
    answer: '😀'.repeat(1_024),
  });
});

test.each([
  ['damaged', `sealed_secret = set_byte(sealed_secret, 40, get_byte(sealed_secret, 40) # 1)`],
  [
    'sealed with an unknown key',
    `sealed_secret = set_byte(sealed_secret, 0, get_byte(sealed_secret, 0) # 1)`,
  ],
])('a test reports a secret that is %s, and calls nothing', async (name, damage) => {
  const hook = await setup(name.replaceAll(' ', '-'));
  await t.db.query(`UPDATE webhook SET ${damage} WHERE id = $1`, [hook.id]);

  const { status, body } = await tryOut(hook.id, hook.apikey);

  expect([status, body.message]).toEqual([200, 'The endpoint did not accept the sample: secret_unreadable.']);
  expect(body.data).toMatchObject({ ok: false, status: null, error: 'secret_unreadable' });
  expect(hook.received()).toEqual([]);
});

test('a test of a chat-app webhook sends a sample of a subscribed event', async () => {
  const hook = await setup('chat', {
    channel: 'chatapp',
    events: ['message.received', 'message.status'],
    headers: [{ key: 'X-Number', value: '{{mobileNumber}}' }],
  });

  await tryOut(hook.id, hook.apikey);
  await tryOut(hook.id, hook.apikey, '?event=message.status');

  const [received, status] = hook.received() as [ReceivedPush, ReceivedPush];
  expect(received.headers['x-number']).toBe('15550100000');
  expect(JSON.parse(received.body)).toMatchObject({
    type: 'message.received',
    data: { from: '15550100000', status: 'Received', text: { body: 'A sample, not a message' } },
  });
  expect(JSON.parse(status.body)).toMatchObject({
    type: 'message.status',
    data: { to: '15550100000', status: 'Delivered' },
  });
  for (const event of ['message.sent', 'x']) {
    const path = `/v1/webhooks/${hook.id}/test?event=${event}`;
    await expectRefused(t, { path, headers: { apikey: hook.apikey } }, 400, 'invalid_request', [
      'event not_allowed_value',
    ]);
  }
  expect(hook.received()).toHaveLength(2);
});

test('a preview shows the sample of each event, and messages of its channel only', async () => {
  const chat = { ...GOOD, channel: 'chatapp' };
  for (const event of ['message.sent', 'message.status', 'message.received']) {
    const { data } = (await preview({ ...chat, events: [event] })).body;
    expect(JSON.parse(data.body ?? '')).toMatchObject({
      type: event,
      data: { messageId: expect.any(String) },
    });
  }
  const { body } = await t.call({ body: { ...GOOD_SMS, to: '919800000200' } });
  expectFailure(await preview({ ...chat, messageId: `${body.id}:1` }), 404, 'message_not_found');
  const [{ accountId }] = await t.db.query('SELECT account_id AS "accountId" FROM submission WHERE id = $1', [
    body.id,
  ]);
  const template = {
    id: '1',
    version: 1,
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY' as const,
    params: [],
  };
  const { id } = await accept(
    t.db,
    newChat({ accountId, kind: 'template', content: { template }, clientRef: 'A-1' }),
  );

  const shown = await preview({ ...chat, messageId: `${id}:1` });

  const event = {
    messageId: `${id}:1`,
    status: 'Pending',
    templateName: 'order_update',
    language: 'en_US',
    clientRef: 'A-1',
  };
  expect(JSON.parse(shown.body.data.body ?? '')).toMatchObject({ type: 'message.status', data: event });
  await expectRefused(t, { path: PREVIEW, body: { ...chat, method: 'GET' } }, 400, 'invalid_request', [
    'method not_allowed_value',
  ]);
});

test('an account makes 10 tests per minute without affecting others', async () => {
  const [eager, other] = [await setup('eager'), await setup('other')];

  const answers = [];
  for (let i = 0; i < 12; i += 1) answers.push(await tryOut(eager.id, eager.apikey));

  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  expectFailure(answers[11]!, 429, 'rate_limited');
  expect(Number(answers[11]!.headers['retry-after'])).toBeGreaterThan(0);
  expect(eager.received()).toHaveLength(10);
  expect((await tryOut(other.id, other.apikey)).status).toBe(200);
});

test('a test dials no forbidden address and no webhook of another account', async () => {
  await using strict = await startApi({ env: { ALLOW_PRIVATE_WEBHOOKS: '0' } });
  const { id } = (
    await strict.call<{ id: string }>({ path: '/v1/webhooks', body: { name: 'turned', ...GOOD } })
  ).body.data;
  await strict.db.query('UPDATE webhook SET endpoint = $1', [`${receiver.url}/forbidden`]);

  const tested = await strict.call<Tested>({ path: `/v1/webhooks/${id}/test` });

  expect(tested.body.data).toMatchObject({ ok: false, status: null, error: 'endpoint_forbidden' });
  expect(receiver.received.filter(({ url }) => url === '/forbidden')).toEqual([]);
  const apikey = await strict.addKey('Tests others');
  for (const absent of [id, crypto.randomUUID(), 'x']) {
    expectFailure(
      await strict.call({ path: `/v1/webhooks/${absent}/test`, headers: { apikey } }),
      404,
      'webhook_not_found',
    );
  }
});

test('unsaved settings are tested with a new secret, or with that of a webhook', async () => {
  const a = await setup('unsaved');
  const body = {
    endPoint: `${receiver.url}/unsaved-form`,
    headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
  };
  const tryUnsaved = (more: object = {}): Promise<Answer<Tested & { secret?: string }>> =>
    t.call({ path: '/v1/webhooks/test', body: { ...body, ...more }, headers: { apikey: a.apikey } });

  const fresh = (await tryUnsaved()).body.data;
  const stored = (await tryUnsaved({ webhookId: a.id })).body.data;

  const [first, second] = receiver.received.filter(({ url }) => url === '/unsaved-form');
  expect([fresh.ok, stored.ok, stored.secret]).toEqual([true, true, undefined]);
  expect(() =>
    new Webhook(fresh.secret!).verify(first!.body, first!.headers as Record<string, string>),
  ).not.toThrow();
  expect(() =>
    new Webhook(a.secret).verify(second!.body, second!.headers as Record<string, string>),
  ).not.toThrow();
  expect(first!.headers).toMatchObject({ 'webhook-test': 'true', 'message-id': expect.any(String) });
  const foreign = await t.addKey('unsaved-other');
  const refused = await t.call({
    path: '/v1/webhooks/test',
    body: { ...body, webhookId: a.id },
    headers: { apikey: foreign },
  });
  expectFailure(refused, 404, 'webhook_not_found');
});
