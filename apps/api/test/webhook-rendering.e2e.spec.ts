import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ReceivedPush, startReceiver } from '@signalbox/tools/test/receiver';
import { GOOD_SMS, startApi } from './api-under-test.ts';
import { ScriptedGateway, type ScriptedReport, delivered } from './scripted-gateway.ts';

const HEADERS = [
  { key: 'X-Description', value: '{{statusDescription}}' },
  { key: 'X-Circle', value: '{{operatorCircle}}' },
  { key: 'X-Credit', value: '{{messageCredit}}' },
];

test.each([
  ['C175 a header in a description', 'ok\r\nX-Evil: 1', 'okX-Evil: 1', 'ok\r\nX-Evil: 1'],
  ['C176 Japanese', '日本', '%E6%97%A5%E6%9C%AC', '日本'],
  ['C176 an emoji', '😀', '%F0%9F%98%80', '😀'],
  ['C176 U+0000', 'a\0b', 'ab', 'ab'],
  ['C176 a lone surrogate', 'a\ud800b', 'a%EF%BF%BDb', 'a\ufffdb'],
  ['C178 100 KB', 'x'.repeat(100_000), 'x'.repeat(1_024), 'x'.repeat(4_096)],
  ['C179 nothing', '', '', ''],
  ['a placeholder in a value', '{{status}}', '{{status}}', '{{status}}'],
])('%s is delivered as one header and as JSON', async (_name, description, header, inBody) => {
  await using t = await setup(() => [delivered({ description })]);

  await t.webhook('POST', '/hook');
  await t.send();

  const [push] = await t.received(1);
  expect(push?.headers).toMatchObject({ 'x-description': header, 'x-circle': 'UNKNOWN', 'x-credit': '1' });
  expect(push?.headers).not.toHaveProperty('x-evil');
  expect(push?.report).toMatchObject({ statusDescription: inBody, status: 'Delivered' });
});

test('C181 and C182: a GET keeps its own query, loses its fragment, and cuts a long description', async () => {
  await using t = await setup(() => [delivered({ description: '日'.repeat(4_000) })]);

  await t.webhook('GET', '/hook?tenant=7#part');
  await t.send();

  const [push] = await t.received(1);
  expect(push?.url).toMatch(/^\/hook\?tenant=7&messageId=[^#]*&statusDescription=(%E6%97%A5)+$/);
  expect(`${t.url}${push?.url}`.length).toBeLessThanOrEqual(2_048);
  expect(push?.report).toMatchObject({ tenant: '7', status: 'Delivered', mobileNumber: GOOD_SMS.to });
});

test('C146 a text goes to the gateway as it came, byte for byte', async () => {
  await using t = await setup(() => []);
  const text = 'a\r\nb\u2028c\u200dd\u202ee\tf  नमस्ते😀';

  await t.send({ text, unicode: 1, flash: 1 });

  await t.submitted(1);
  expect(t.gateway.submitted).toMatchObject([{ text, unicode: true, flash: true, sender: 'SIGNALBX', recipient: GOOD_SMS.to }]);
});

test('C184 a webhook hears of each change of a message once, whatever the order and number of reports', async () => {
  const failed = delivered({ status: 'FAILED', errCode: '001' });
  const sent = delivered({ status: 'SENT' });
  const scripts: Record<string, ScriptedReport[]> = {
    '919800000201': [delivered(), sent, failed],
    '919800000202': [failed, delivered()],
    '919800000203': Array.from({ length: 1_000 }, () => delivered()),
  };
  await using t = await setup(({ recipient }) => scripts[recipient] ?? []);

  await t.webhook('POST', '/hook');
  await t.send({ to: Object.keys(scripts) });
  await t.received(4);
  await t.send({ to: '919800000202' });

  const pushes = await t.received(6);
  expect(pushes.map(({ report }) => `${report['mobileNumber']?.slice(-3)} ${report['status']}`).toSorted()).toEqual([
    '201 Delivered',
    '202 Delivered',
    '202 Delivered',
    '202 Failed',
    '202 Failed',
    '203 Delivered',
  ]);
});

async function setup(script: ConstructorParameters<typeof ScriptedGateway>[0]) {
  await using started = new AsyncDisposableStack();
  const gateway = new ScriptedGateway(script);
  const receiver = started.use(await startReceiver());
  const t = started.use(await startApi({ workers: ['sms', 'dlr'], gateway }));
  const all = started.move();
  return {
    gateway,
    url: receiver.url,
    webhook: async (method: 'GET' | 'POST', path: string) => {
      const body = { name: 'reports', method, endPoint: receiver.url + path, headers: HEADERS };
      expect((await t.call({ path: '/v1/webhooks', body })).status).toBe(201);
    },
    send: async (fields: object = {}) => expect((await t.call({ body: { ...GOOD_SMS, ...fields } })).status).toBe(200),
    received: async (count: number): Promise<ReceivedPush[]> => {
      await receiver.until((received) => received.length >= count);
      return receiver.received;
    },
    submitted: (count: number) => waitFor(() => gateway.submitted.length >= count, { timeoutMs: 15_000, otherwise: 'nothing was submitted' }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
