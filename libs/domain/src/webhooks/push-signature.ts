import { type KeyObject, createHmac, createSecretKey, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret to sign the pushes of a webhook with: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** The key within a secret, the form that signing takes: worth keeping, since making it costs five times what signing does. */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}

/**
 * The `webhook-signature` header of a push after Standard Webhooks: one `v1,<base64>` per secret, so that while a secret is being
 * rotated a receiver may know the old one or the new one.
 *
 * @param id the `webhook-id` header, the same for every attempt of a push
 * @param timestampSeconds the `webhook-timestamp` header, of this attempt
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

/** The Standard Webhooks headers of a call that is rendered. `id` is the same for every try. */
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

/** What is signed of a push: its body, or without one the path and query of its URL (decisions, Webhooks). */
export function signedPayload(push: { url: string; body: string | undefined }): string {
  if (push.body !== undefined) return push.body;
  const { pathname, search } = new URL(push.url);
  return pathname + search;
}
