import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WebhookSignatureError, verifyWebhook } from './webhooks.ts';

const SECRET = `whsec_${Buffer.from('an example of 32 bytes for tests').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of the same size.').toString('base64')}`;
const PAYLOAD = '{"messageId":"019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1","status":"Delivered","text":"grüße"}';
const NOW = new Date('2026-11-22T10:00:00Z');

function headersOf(...secrets: string[]): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign('push_1', NOW, PAYLOAD));
  return {
    'webhook-id': 'push_1',
    'webhook-timestamp': String(NOW.getTime() / 1000),
    'webhook-signature': signatures.join(' '),
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
