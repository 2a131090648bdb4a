import { expect } from '@jest/globals';
import type { CallbackRequest, ReadCallback } from '../src/callback-format.ts';
import { HTTP_KIND } from '../src/http/kind.ts';
import { compilePlan } from '../src/http/plan.ts';
import type { PresetName } from '../src/http/preset-names.ts';
import { CALLBACK_URL, rowOf } from './http-vendor.ts';
import { SUBMISSION, sms } from './sms.ts';

export const ID = `${SUBMISSION}:1`;
export const KEYED = `${CALLBACK_URL}?key=SECRET-OF-CALLBACKS`;
export const AT = new Date('2026-11-22T10:00:00Z');

/** A report as Vonage sends it. */
export const VONAGE_REPORT = {
  msisdn: '919812345678',
  to: 'ACME',
  'network-code': '40445',
  messageId: '0A1',
  price: '0.02000000',
  status: 'failed',
  scts: '2611221000',
  'err-code': '53',
  'api-key': 'abcd1234',
  'client-ref': ID,
  'message-timestamp': '2026-11-22 10:00:00',
};

/** Makes the callback format of a preset. */
export function callbacksOf(preset: PresetName) {
  return HTTP_KIND.callbacks!(rowOf({ preset }))!;
}

/** Reads a callback as the API and the worker do; undefined when its signature is refused. */
export function receive(preset: PresetName, request: CallbackRequest): ReadCallback | undefined {
  const format = callbacksOf(preset);
  return format.verify(request) ? format.read(format.keep!(request)) : undefined;
}

/** Builds an expected report. */
export function report(fields: object = {}) {
  return {
    messageId: ID,
    status: 'DELIVERED',
    errCode: '000',
    description: expect.any(String),
    reportedAt: expect.any(Date),
    ...fields,
  };
}

/** Builds an expected reading. */
export const read = (fields: Partial<ReadCallback>) => ({
  reports: [],
  inbound: [],
  problem: null,
  ...fields,
});

/** Builds an expected inbound message. */
export function inbound(fields: object = {}) {
  return {
    gatewayMessageId: expect.any(String),
    from: '919812345678',
    to: '919811111111',
    kind: 'text',
    content: { text: { body: 'STOP' } },
    replyTo: null,
    sentAt: expect.any(Date),
    ...fields,
  };
}

/** Returns the address of reports that a request of the preset names. */
export function reportUrl(preset: PresetName, settings: object = {}): string {
  const { plan } = compilePlan(rowOf({ preset, ...settings }));
  const { body = '', url } = plan.request(sms(), AT.getTime());
  const text = decodeURIComponent(body === '' ? url : body);
  return /https:\/\/sms\.example\.com[^"&]*(?:&sig=\w+)?(?:&(?:status|reply|smsc|at)=%\w)*/
    .exec(text)![0]
    .replace(`ref=${ID}`, `ref=${encodeURIComponent(ID)}`);
}
