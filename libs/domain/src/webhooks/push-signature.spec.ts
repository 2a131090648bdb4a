import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newWebhookSecret, secretKey, signedPayload, signPush } from './push-signature.ts';

const sentAt = Math.floor(Date.now() / 1000);

/** Verifies with the public library, as a receiver does; throws if the signature is wrong. */
function receive(secret: string, id: string, signature: string, payload: string): void {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(sentAt), 'webhook-signature': signature };
  new Webhook(secret).verify(payload, headers, { jsonParse: false });
}

test('a receiver verifies any payload with the public library', () => {
  const secret = newWebhookSecret();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (payload) => {
      const signature = signPush([secretKey(secret)], 'push-1', sentAt, payload);
      receive(secret, 'push-1', signature, payload);
    }),
  );
});

test('during a rotation, a receiver verifies with either secret', () => {
  const [before, after] = [newWebhookSecret(), newWebhookSecret()];
  const signature = signPush([after, before].map(secretKey), 'push-1', sentAt, '{}');
  expect(signature).toMatch(/^v1,\S+ v1,\S+$/);
  receive(before, 'push-1', signature, '{}');
  receive(after, 'push-1', signature, '{}');
});

test.each([
  ['payload', 'push-1', '{"status":"Failed"}'],
  ['id', 'push-2', '{"status":"Delivered"}'],
])('a signature does not verify with another %s', (_, id, payload) => {
  const secret = newWebhookSecret();
  const signature = signPush([secretKey(secret)], 'push-1', sentAt, '{"status":"Delivered"}');
  expect(() => receive(secret, id, signature, payload)).toThrow(WebhookVerificationError);
});

test('a signature does not verify with another secret', () => {
  const signature = signPush([secretKey(newWebhookSecret())], 'push-1', sentAt, '{}');
  expect(() => receive(newWebhookSecret(), 'push-1', signature, '{}')).toThrow(WebhookVerificationError);
});

test('a secret is a prefix and 32 random bytes', () => {
  const secret = newWebhookSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secretKey(secret).symmetricKeySize).toBe(32);
  expect(newWebhookSecret()).not.toBe(secret);
});

test('a push without a body signs its path and query', () => {
  expect(signedPayload({ url: 'https://example.com:8443/a/b?status=Delivered', body: undefined })).toBe(
    '/a/b?status=Delivered',
  );
  expect(signedPayload({ url: 'https://example.com', body: undefined })).toBe('/');
  expect(signedPayload({ url: 'https://example.com/a?b', body: '{}' })).toBe('{}');
});
