import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ReceivedPush, type Receiver, startReceiver } from '@signalbox/test/receiver';
import { type ApiUnderTest, GOOD_SMS, startApi } from './api-under-test.ts';
import { ScriptedGateway, type ScriptedReport, delivered } from './scripted-gateway.ts';

const HEADERS = [
  { key: 'X-Description', value: '{{statusDescription}}' },
  { key: 'X-Circle', value: '{{operatorCircle}}' },
  { key: 'X-Credit', value: '{{messageCredit}}' },
];

const started = new AsyncDisposableStack();
const scripts = new Map<string, ScriptedReport[][]>();
const gateway = new ScriptedGateway((recipient) => scripts.get(recipient) ?? []);
let t: ApiUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = started.use(await startReceiver());
  t = started.use(await startApi({ workers: ['sms', 'dlr'], gateway }));
  for (const [method, path] of [
    ['POST', '/hook'],
    ['GET', '/hook?tenant=7#part'],
  ]) {
    const body = { name: method, method, endPoint: receiver.url + path, headers: HEADERS, maxInFlight: 32 };
    await t.call({ path: '/v1/webhooks', body });
  }
});
afterAll(() => started.disposeAsync());

let lastRecipient = 919_800_000_200;

/** Sends to a new number with these reports. @returns the pushes of one webhook */
async function pushes(
  method: 'GET' | 'POST',
  count: number,
  ...reports: ScriptedReport[][]
): Promise<ReceivedPush[]> {
  const to = String((lastRecipient += 1));
  scripts.set(to, reports);
  expect((await t.call({ body: { ...GOOD_SMS, to } })).status).toBe(200);
  const about = (): ReceivedPush[] =>
    receiver.received.filter((push) => push.method === method && push.report['mobileNumber'] === to);
  await receiver.until(() => about().length >= count);
  return about();
}

test.each([
  ['a header in a description', 'ok\r\nX-Evil: 1', 'okX-Evil: 1', 'ok\r\nX-Evil: 1'],
  ['Japanese', '日本', '%E6%97%A5%E6%9C%AC', '日本'],
  ['an emoji', '😀', '%F0%9F%98%80', '😀'],
  ['U+0000', 'a\0b', 'ab', 'ab'],
  ['a lone surrogate', 'a\ud800b', 'a%EF%BF%BDb', 'a\ufffdb'],
  ['100 KB', 'x'.repeat(100_000), 'x'.repeat(1_024), 'x'.repeat(4_096)],
  ['nothing', '', '', ''],
  ['a placeholder in a value', '{{status}}', '{{status}}', '{{status}}'],
])('%s is delivered as one header and as JSON', async (_name, description, header, inBody) => {
  const [push] = await pushes('POST', 1, [delivered({ description })]);

  expect(push?.headers).toMatchObject({ 'x-description': header, 'x-circle': 'UNKNOWN', 'x-credit': '1' });
  expect(push?.headers).not.toHaveProperty('x-evil');
  expect(push?.report).toMatchObject({ statusDescription: inBody, status: 'Delivered' });
});

test('a GET keeps its query, drops its fragment and truncates a long description', async () => {
  const [push] = await pushes('GET', 1, [delivered({ description: '日'.repeat(4_000) })]);

  expect(push?.url).toMatch(/^\/hook\?tenant=7&messageId=[^#]*&statusDescription=(%E6%97%A5)+$/);
  expect(`${receiver.url}${push?.url}`.length).toBeLessThanOrEqual(2_048);
  expect(push?.report).toMatchObject({ tenant: '7', status: 'Delivered', senderName: 'SIGNALBX' });
});

test('a text reaches the gateway byte for byte', async () => {
  const text = 'a\r\nb\u2028c\u200dd\u202ee\tf  नमस्ते😀';

  const { body } = await t.call({ body: { ...GOOD_SMS, text, unicode: 1, flash: 1 } });

  const submitted = () => gateway.submitted.find(({ messageId }) => messageId === `${body.id}:1`);
  await waitFor(() => submitted() !== undefined, {
    otherwise: 'the message was not submitted',
  });
  expect(submitted()).toMatchObject({
    text,
    encoding: 'UCS-2',
    messageClass: 0,
    sender: 'SIGNALBX',
    recipient: GOOD_SMS.to,
  });
});

test.each([
  [
    'late reports',
    ['Delivered'],
    [[delivered()], [delivered({ status: 'SENT' })], [delivered({ status: 'FAILED', errCode: '001' })]],
  ],
  [
    'a correction',
    ['Failed', 'Delivered'],
    [[delivered({ status: 'FAILED', errCode: '001' })], [delivered()]],
  ],
  ['1,000 repeats', ['Delivered'], [Array.from({ length: 1_000 }, () => delivered())]],
])('%s pushes each change once', async (_name, statuses, reports) => {
  const [{ report }] = (await pushes('POST', statuses.length, ...reports)) as [ReceivedPush];

  const unsettled = async (): Promise<number> => {
    const [row] = await t.db.query(
      `SELECT count(*)::integer AS count FROM message_event WHERE settled_at IS NULL`,
    );
    return (row as { count: number }).count;
  };
  await waitFor(async () => (await unsettled()) === 0, {
    otherwise: 'the reports were not settled',
  });
  const heard = receiver.received.filter(
    (push) => push.method === 'POST' && push.report['messageId'] === report['messageId'],
  );
  expect(heard.map((push) => push.report['status'])).toEqual(statuses);
});
