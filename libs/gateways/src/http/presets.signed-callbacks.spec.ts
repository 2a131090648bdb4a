import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import twilio from 'twilio';
import { CALLBACK_URL, callbackTo, rowOf } from '../../test/http-vendor.ts';
import {
  AT,
  ID,
  KEYED,
  VONAGE_REPORT,
  callbacksOf,
  inbound,
  read,
  receive,
  report,
  reportUrl,
} from '../../test/preset-callbacks.ts';
import { HTTP_KIND } from './kind.ts';

describe('Twilio', () => {
  const post = (url: string, form: Record<string, string>) =>
    callbackTo(url, {
      form,
      headers: { 'x-twilio-signature': twilio.getExpectedTwilioSignature('SECRET-OF-CALLBACKS', url, form) },
    });

  test.each([
    [{ MessageStatus: 'delivered' }, report()],
    [
      { MessageStatus: 'undelivered', ErrorCode: '30003', ErrorMessage: 'Unreachable' },
      report({ status: 'FAILED', errCode: '001', gatewayCode: '30003', description: 'Unreachable' }),
    ],
    [{ MessageStatus: 'sent' }, report({ status: 'SENT' })],
  ])('%j is a report on the message of its address', (form, expected) => {
    const fields = { MessageSid: 'SM1', To: '+919812345678', From: '+1', AccountSid: 'AC1', ...form };
    expect(receive('twilio', post(reportUrl('twilio', { accountSid: 'AC1' }), fields))).toEqual(
      read({ reports: [expected as never] }),
    );
  });

  test('a queued message is no report', () => {
    expect(
      receive('twilio', post(reportUrl('twilio'), { MessageSid: 'SM1', MessageStatus: 'queued' })),
    ).toEqual(read({}));
  });

  test('an inbound message is read, and the response is TwiML', () => {
    const form = {
      MessageSid: 'SM2',
      SmsStatus: 'received',
      From: '+919812345678',
      To: '+919811111111',
      Body: 'STOP',
    };
    expect(receive('twilio', post(CALLBACK_URL, form))).toEqual(
      read({ inbound: [inbound({ gatewayMessageId: 'SM2' }) as never] }),
    );
    expect(callbacksOf('twilio').answer).toEqual({
      status: 200,
      contentType: 'text/xml',
      body: '<Response/>',
    });
  });

  test('an address that names another message than it was made for is refused', () => {
    const url = reportUrl('twilio').replace('%3A1', '%3A2');
    expect(receive('twilio', post(url, { MessageStatus: 'delivered' }))).toBeUndefined();
  });
});

describe('Bird', () => {
  const get = (fields: Record<string, string>) => {
    const url = `${CALLBACK_URL}?${new URLSearchParams(fields)}`;
    return callbackTo(url, { headers: { 'messagebird-signature-jwt': birdToken(url) } });
  };
  const fields = {
    id: 'e8',
    reference: ID,
    recipient: '919812345678',
    mccmnc: '40445',
    'price[amount]': '0.02',
    'price[currency]': 'EUR',
    statusDatetime: '2026-11-22T10:00:00+00:00',
  };

  test.each([
    [
      { status: 'delivered', statusReason: 'successfully delivered', statusErrorCode: '0' },
      { status: 'DELIVERED' },
    ],
    [
      { status: 'delivery_failed', statusReason: 'opted out', statusErrorCode: '103' },
      { status: 'FAILED', errCode: '010', gatewayCode: '103' },
    ],
    [{ status: 'expired' }, { status: 'FAILED', errCode: '004' }],
  ])('%j is a report', (given, expected) => {
    const details = { network: '40445', price: '0.02', currency: 'EUR' };
    expect(receive('bird', get({ ...fields, ...given }))).toEqual(
      read({ reports: [report({ reportedAt: AT, details, ...expected }) as never] }),
    );
  });

  test('a report without its token is refused', () => {
    expect(
      receive(
        'bird',
        callbackTo(`${CALLBACK_URL}?${new URLSearchParams({ ...fields, status: 'delivered' })}`),
      ),
    ).toBeUndefined();
  });
});

describe('Plivo', () => {
  const post = (url: string, form: Record<string, string>) => {
    const signature = createHmac('sha256', 'SECRET-OF-CALLBACKS')
      .update(`${CALLBACK_URL}77`)
      .digest('base64');
    return callbackTo(url, {
      form,
      headers: { 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': '77' },
    });
  };

  test('a report is on the message of its address', () => {
    const form = {
      From: 'ACME',
      To: '919812345678',
      Status: 'undelivered',
      MessageUUID: 'u1',
      ErrorCode: '200',
      TotalAmount: '0.001',
      Units: '1',
    };
    expect(receive('plivo', post(reportUrl('plivo', { authId: 'MA1' }), form))).toEqual(
      read({
        reports: [
          report({
            status: 'FAILED',
            errCode: '010',
            gatewayCode: '200',
            details: { price: '0.001', units: '1' },
          }) as never,
        ],
      }),
    );
  });

  test('an inbound message is read', () => {
    const form = { From: '919812345678', To: '919811111111', Text: 'STOP', Type: 'sms', MessageUUID: 'u2' };
    expect(receive('plivo', post(CALLBACK_URL, form))).toEqual(
      read({ inbound: [inbound({ gatewayMessageId: 'u2' }) as never] }),
    );
  });
});

function birdToken(url: string): string {
  const hash = (text: string) => createHmac('sha256', 'SECRET-OF-CALLBACKS').update(text).digest('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: 'MessageBird', nbf: now, exp: now + 60, jti: '1', url_hash: sha256(url) };
  const content = [{ alg: 'HS256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${content.join('.')}.${hash(content.join('.'))}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('Vonage with a signature', () => {
  const signature = { type: 'hmac', algorithm: 'sha256', parts: ['parameters'], parameter: 'sig' };
  const format = HTTP_KIND.callbacks!(rowOf({ preset: 'vonage', callback: { signature } }))!;
  const text = Object.entries(VONAGE_REPORT)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `&${name}=${value.replace(/[&=]/g, '_')}`)
    .join('');
  const sig = createHmac('sha256', 'SECRET-OF-CALLBACKS').update(text).digest('hex');
  const signed = `${CALLBACK_URL}?${new URLSearchParams({ ...VONAGE_REPORT, sig })}`;
  const json = { 'content-type': 'application/json' };
  const forged = 'status=delivered&client-ref=another';

  test('needs it, and nothing else', () => {
    expect(format.verify(callbackTo(signed))).toBe(true);
    expect(format.verify(callbackTo(signed, { json: VONAGE_REPORT }))).toBe(true);
    expect(format.verify(callbackTo(`${KEYED}&status=failed`))).toBe(false);
  });

  test.each([
    ['a form in the name of JSON', callbackTo(signed, { body: forged, headers: json })],
    ['JSON in the name of a form', callbackTo(signed, { body: '{"status":"delivered"}' })],
    ['a member of JSON', callbackTo(signed, { json: { ...VONAGE_REPORT, to: { status: 'delivered' } } })],
    ['a name that is given twice', callbackTo(signed.replace('?', `?${forged}&`))],
  ])('lets nobody add %s to what was signed', (_, request) => {
    expect(format.verify(request)).toBe(false);
  });
});
