import { createHmac } from 'node:crypto';
import type { CallbackRequest } from '../callback-format.ts';
import { isEqual } from '../is-equal.ts';
import type { CallbackUrls } from './message-values.ts';

const SIGNATURE_LENGTH = 32;
const SECRET_PARAMETERS = ['key', 'sig'];

/** Gateway whose callbacks carry our message id, or its secret, in their address. */
export interface CallbackAddress {
  gateway: string;
  callbackUrl: string | null;
  /** Key of the MAC of a message id; undefined when the gateway has none. */
  mac: string | undefined;
  /** Secret in the address, for vendors that do not sign; undefined for those that do. */
  key: string | undefined;
}

/**
 * Builds the addresses of callbacks: one for everything, with the secret as `key` where the vendor signs nothing, and
 * one for the reports of one message, with its id as `ref` and a MAC of it as `sig`.
 */
export function callbackUrls(
  { gateway, callbackUrl, mac, key }: CallbackAddress,
  messageId: string,
  query: string | undefined,
): CallbackUrls {
  if (callbackUrl === null) return { callbackUrl: undefined, reportUrl: undefined };
  const join = callbackUrl.includes('?') ? '&' : '?';
  const keyed = key === undefined ? '' : `${join}key=${encodeURIComponent(key)}`;
  const sig = mac === undefined ? '' : `&sig=${signReference(gateway, messageId, mac)}`;
  const reportUrl = `${callbackUrl}${join}ref=${encodeURIComponent(messageId)}${sig}${query ? `&${query}` : ''}`;
  return { callbackUrl: callbackUrl + keyed, reportUrl };
}

/** Is true when the address has the id of a message with its right MAC. */
export function hasSignedReference({ query }: CallbackRequest, gateway: string, secret: string): boolean {
  const [ref, sig] = [query.get('ref'), query.get('sig')];
  return ref !== null && sig !== null && isEqual(sig, signReference(gateway, ref, secret));
}

/** Is true when the address has the secret itself. */
export function hasKey({ query }: CallbackRequest, secret: string): boolean {
  const key = query.get('key');
  return key !== null && isEqual(key, secret);
}

/**
 * Returns the query of an address without `key` and `sig`. A fragment is part of it, as for the check of the address.
 */
export function queryToKeep({ url }: CallbackRequest): string {
  const [, raw = ''] = /\?(.*)/s.exec(url) ?? [];
  const isSecret = (pair: string): boolean =>
    SECRET_PARAMETERS.some((name) => new URLSearchParams(pair).has(name));
  return raw
    .split('&')
    .filter((pair) => !isSecret(pair))
    .join('&');
}

function signReference(gateway: string, messageId: string, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${gateway}\n${messageId}`)
    .digest('hex')
    .slice(0, SIGNATURE_LENGTH);
}
