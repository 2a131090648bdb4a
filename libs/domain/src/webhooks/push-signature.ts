import { type KeyObject, createHmac, createSecretKey, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Generates a signing secret: `whsec_` and 32 random bytes in base64, as in Standard Webhooks. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Decodes a secret to its key. Cache the key: creating it costs five times as much as signing. */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}

/**
 * Computes the `webhook-signature` header of a push as Standard Webhooks defines it: one `v1,<base64>` per
 * secret, so that a receiver can verify with the old or the new secret during a rotation.
 *
 * @param id `webhook-id` header, the same for every attempt of a push
 * @param timestampSeconds `webhook-timestamp` header of this attempt
 */
export function signPush(
  secrets: readonly KeyObject[],
  id: string,
  timestampSeconds: number,
  payload: string,
): string {
  const content = `${id}.${timestampSeconds}.${payload}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    .join(' ');
}

/**
 * Builds the Standard Webhooks headers of a rendered call.
 *
 * @param id the same for every attempt of a push
 */
export function signatureHeaders(
  secrets: readonly KeyObject[],
  id: string,
  now: Date,
  push: { url: string; body: string | undefined },
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const timestamp = Math.floor(now.getTime() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signPush(secrets, id, timestamp, signedPayload(push)),
  };
}

/** Returns the signed content of a push: its body, or without one the path and query of its URL. */
export function signedPayload(push: { url: string; body: string | undefined }): string {
  if (push.body !== undefined) return push.body;
  const { pathname, search } = new URL(push.url);
  return pathname + search;
}
