import type { PushBatchWebhookPayload } from './generated/types.gen.ts';

/** Seconds by which the timestamp of a webhook may differ from the clock of the receiver. */
const TOLERANCE_SECONDS = 300;

/** Headers of a request: those of `fetch`, or those of Node, whose names are in lower case. */
export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | Record<string, string | string[] | undefined>;

/** Headers of a push, its raw payload and the secret of its webhook. */
export interface SignedWebhook {
  /** Secret of the webhook, as `whsec_…`. */
  secret: string;
  headers: WebhookHeaders;
  /** For a POST the bytes of the body, before anything parses them; for a GET the path with its query. */
  payload: string | Uint8Array;
  /** Time of arrival; now by default. */
  now?: Date;
}

/** A report of a push: the report of an SMS, or an event of a chat-app message. */
export type PushedReport = PushBatchWebhookPayload[number];

/** A webhook without a valid signature. */
export class WebhookSignatureError extends Error {
  override name = 'WebhookSignatureError';
}

/**
 * Verifies a push and returns its reports: one, or with `batch` up to 100. Process each once for its `id`, which is the
 * same for every repeat, alone or in another batch. For a GET the body holds all parameters of the query.
 *
 * @throws WebhookSignatureError as `verifyWebhook` does
 */
export async function readWebhook(webhook: SignedWebhook): Promise<PushedReport[]> {
  const id = await verifyWebhook(webhook);
  const text = textOf(webhook.payload);
  const call: unknown = text.startsWith('/')
    ? Object.fromEntries(new URLSearchParams(text.slice(text.indexOf('?') + 1)))
    : JSON.parse(text);
  if (Array.isArray(call)) return call as PushedReport[];
  const sequence = Number(findHeader(webhook.headers, 'webhook-sequence') ?? 0);
  return [{ id, sequence, body: call as PushedReport['body'] }];
}

/**
 * Checks the signature of a push, as Standard Webhooks defines it, and returns its `webhook-id`, which is the same for
 * every repeat of the push. That of a batch is none of the ids of its reports: `readWebhook` returns them.
 *
 * @throws WebhookSignatureError when a header is missing, the push is older or newer than five minutes, or no signature
 * is by the secret
 */
export async function verifyWebhook({ secret, headers, payload, now }: SignedWebhook): Promise<string> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  requireRecent(timestamp, now ?? new Date());
  const key = await importKey(secret);
  const signed = concat(`${id}.${timestamp}.`, payload);
  for (const signature of signatures) {
    const [version, encoded = ''] = signature.split(',', 2);
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(encoded), signed))) return id;
  }
  throw new WebhookSignatureError('No signature of the webhook is by this secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = findHeader(headers, name);
  if (value !== undefined) return value;
  throw new WebhookSignatureError(`The webhook has no header ${name}.`);
}

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textOf(payload: string | Uint8Array): string {
  return typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
}

function requireRecent(timestamp: string, now: Date): void {
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookSignatureError('webhook-timestamp is not a number.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookSignatureError('The webhook is older or newer than five minutes.');
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function importKey(secret: string): Promise<HmacKey> {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (key.length === 0)
    throw new WebhookSignatureError('The secret of the webhook must be whsec_ and base64.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64; a text that is not base64 has no bytes. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function concat(head: string, payload: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const first = encoder.encode(head);
  const second = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
