import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { GOOD_SMS, startSharedApi } from './api-under-test.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const gateway = new ScriptedGateway(() => []);
const t = await startSharedApi({ workers: ['sms'], gateway });

/** The messages of a submission that the gateway received, in order, once it has all of them. */
async function submitted(id: string, count: number) {
  const mine = () => gateway.submitted.filter(({ messageId }) => messageId.startsWith(id));
  await waitFor(() => mine().length === count, {
    otherwise: `${count} messages were not submitted`,
  });
  return mine().toSorted((a, b) => Number(a.messageId.split(':')[1]) - Number(b.messageId.split(':')[1]));
}

test('a single SMS returns its id and its message id', async () => {
  const { status, body } = await t.call({
    body: { sender: 'SIGNALBX', to: '+919800000100', text: 'Hello', type: 'TRANS' },
  });

  expect([status, body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
      data: [{ recipient: '919800000100', messageId: `${body.id}:1` }],
      totalCount: 1,
      message: 'The message was accepted.',
      error: null,
    },
  ]);
});

test('unicode is echoed at the top level, flash in each element of data', async () => {
  const unicode = await t.call({ body: { ...GOOD_SMS, text: 'नमस्ते', unicode: 1 } });
  const flash = await t.call({ body: { ...GOOD_SMS, to: ['919800000101', '919800000102'], flash: 1 } });
  const both = await t.call({ body: { ...GOOD_SMS, unicode: 1, flash: 1 } });
  const neither = await t.call({ body: { ...GOOD_SMS, unicode: 0, flash: 0 } });

  expect(unicode.body).toMatchObject({
    unicode: 1,
    data: [{ recipient: GOOD_SMS.to, messageId: `${unicode.body.id}:1` }],
  });
  expect(unicode.text).not.toContain('flash');
  expect(flash.body).not.toHaveProperty('unicode');
  expect(flash.body).not.toHaveProperty('flash');
  expect(flash.body.data).toEqual([
    { recipient: '919800000101', messageId: `${flash.body.id}:1`, flash: 1 },
    { recipient: '919800000102', messageId: `${flash.body.id}:2`, flash: 1 },
  ]);
  expect(both.body).toMatchObject({ unicode: 1, data: [{ flash: 1 }] });
  expect(neither.text).not.toMatch(/unicode|flash/);
  expect(await submitted(both.body.id, 1)).toMatchObject([
    { encoding: 'UCS-2', messageClass: 0, text: 'Hello' },
  ]);
});

test.each([
  ['an array', ['919800000103', '+919800000101', '919800000103']],
  ['a list with commas', '919800000103,919800000101,+919800000103'],
])('a bulk as %s numbers its messages in order, and each is submitted with its id', async (_name, to) => {
  const { body } = await t.call({ body: { ...GOOD_SMS, to } });

  const named = ['919800000103', '919800000101', '919800000103'].map((recipient, i) => ({
    recipient,
    messageId: `${body.id}:${i + 1}`,
  }));
  expect(body).toEqual({
    id: body.id,
    data: named,
    totalCount: 3,
    message: '3 messages were accepted.',
    error: null,
  });
  expect(await submitted(body.id, 3)).toMatchObject(named);
});

test('a bulk of several chunks reaches the gateway with every message once', async () => {
  const to = Array.from({ length: 1_234 }, (_, i) => String(919800000100 + i));

  const { body } = await t.call<{ recipient: string; messageId: string }[]>({ body: { ...GOOD_SMS, to } });

  expect(await submitted(body.id, to.length)).toMatchObject(body.data);
});

test.each(['OTP', 'TRANS', 'PROMO'])('the type %s is sent over its own lane', async (type) => {
  const { body, status } = await t.call({ body: { ...GOOD_SMS, type, text: `By ${type}` } });

  const [lane] = await t.db.query(`SELECT lane FROM submission WHERE id = $1`, [body.id]);
  expect([status, lane]).toEqual([200, { lane: type }]);
  expect(await submitted(body.id, 1)).toMatchObject([{ text: `By ${type}`, sender: 'SIGNALBX' }]);
});

test('a body that only the contentType header declares is read as JSON', async () => {
  const headers = { 'content-type': null, contentType: 'application/json' };

  expect((await t.call({ body: JSON.stringify(GOOD_SMS), headers })).status).toBe(200);
});

test('every answer has a request id and is not cacheable', async () => {
  const { headers } = await t.call({ body: GOOD_SMS });

  expect(headers).toMatchObject({
    'x-request-id': expect.any(String),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});
