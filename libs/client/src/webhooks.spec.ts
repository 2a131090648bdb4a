import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WebhookSignatureError, readWebhook, verifyWebhook } from './webhooks.ts';

const SECRET = `whsec_${Buffer.from('an example of 32 bytes for tests').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of the same size.').toString('base64')}`;
const PAYLOAD = '{"messageId":"019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1","status":"Delivered","text":"grüße"}';
const NOW = new Date('2026-11-22T10:00:00Z');

function headersOf(...secrets: string[]): Record<string, string> {
  return signedHeaders(secrets, PAYLOAD);
}

function signedHeaders(secrets: string[], payload: string): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign('push_1', NOW, payload));
  return {
    'webhook-id': 'push_1',
    'webhook-timestamp': String(NOW.getTime() / 1000),
    'webhook-signature': signatures.join(' '),
    'webhook-sequence': '2',
  };
}

const signed = { secret: SECRET, headers: headersOf(SECRET), payload: PAYLOAD, now: NOW };
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

test('a signed push resolves to its webhook-id', async () => {
  expect(await verifyWebhook(signed)).toBe('push_1');
});

test('headers of fetch and the bytes of a body are accepted', async () => {
  const headers = new Headers(signed.headers);
  expect(await verifyWebhook({ ...signed, headers, payload: new TextEncoder().encode(PAYLOAD) })).toBe(
    'push_1',
  );
});

test('one of several signatures is enough, as after a rotation', async () => {
  expect(await verifyWebhook({ ...signed, headers: headersOf(OTHER, SECRET) })).toBe('push_1');
});

test.each<[string, Partial<Parameters<typeof verifyWebhook>[0]>]>([
  ['another secret', { secret: OTHER }],
  ['a secret that is not base64', { secret: 'whsec_?' }],
  ['a changed payload', { payload: `${PAYLOAD} ` }],
  ['a push of six minutes ago', { now: after(360) }],
  ['a push from the future', { now: after(-360) }],
  ['a timestamp that is no number', { headers: { ...headersOf(SECRET), 'webhook-timestamp': 'today' } }],
  ['a missing signature', { headers: { ...headersOf(SECRET), 'webhook-signature': undefined } }],
  ['a signature of another version', { headers: { ...headersOf(SECRET), 'webhook-signature': 'v2,AAAA' } }],
  ['a signature that is not base64', { headers: { ...headersOf(SECRET), 'webhook-signature': 'v1,?' } }],
])('%s is refused', async (_, changed) => {
  await expect(verifyWebhook({ ...signed, ...changed })).rejects.toThrow(WebhookSignatureError);
});

test.each<[string, string, object[]]>([
  ['a single report', PAYLOAD, [{ id: 'push_1', sequence: 2, body: JSON.parse(PAYLOAD) }]],
  [
    'the query of a GET',
    '/reports?shop=7&status=Delivered&statusDescription=gr%C3%BC%C3%9Fe+%26+more',
    [
      {
        id: 'push_1',
        sequence: 2,
        body: { shop: '7', status: 'Delivered', statusDescription: 'grüße & more' },
      },
    ],
  ],
  [
    'a batch',
    `[{"id":"a","sequence":1,"body":${PAYLOAD}},{"id":"b","sequence":0,"body":{"type":"message.sent"}}]`,
    [
      { id: 'a', sequence: 1, body: JSON.parse(PAYLOAD) },
      { id: 'b', sequence: 0, body: { type: 'message.sent' } },
    ],
  ],
])('%s is read as reports with ids', async (_, payload, expected) => {
  const headers = signedHeaders([SECRET], payload);

  const read = await readWebhook({ ...signed, headers, payload: new TextEncoder().encode(payload) });

  expect(read).toEqual(expected);
  await expect(readWebhook({ ...signed, headers, payload: `${payload} ` })).rejects.toThrow(
    WebhookSignatureError,
  );
});
