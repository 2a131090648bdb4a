import { timingSafeEqual } from 'node:crypto';
import { secretKey, signPush } from '@signalbox/domain/webhooks/push-signature';

const TOLERANCE_SECONDS = 300;

/** The check of a signature, as receivers make it. */
export type Checked = 'ok' | 'wrong' | 'too old';

/** Checks the signature and the time of a call, by the secret of its webhook (Standard Webhooks). */
export function checkSignature(
  secret: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Checked {
  const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': given = '' } = headers;
  const expected = Buffer.from(signPush([secretKey(secret)], id, Number(at), body));
  const signatures = given.split(' ').map((each) => Buffer.from(each));
  const isSigned = signatures.some(
    (each) => each.length === expected.length && timingSafeEqual(each, expected),
  );
  if (!isSigned) return 'wrong';
  return Math.abs(Date.now() / 1_000 - Number(at)) > TOLERANCE_SECONDS ? 'too old' : 'ok';
}
