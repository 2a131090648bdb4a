import { expect, test } from '@jest/globals';
import { CALLBACK_URL, rowOf } from '../../test/http-vendor.ts';
import { SUBMISSION, sms } from '../../test/sms.ts';
import { readSettings } from '../read-settings.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { HTTP_KIND } from './kind.ts';
import { compilePlan } from './plan.ts';
import { PRESET_NAMES } from './preset-names.ts';

const NOW = Date.UTC(2026, 10, 22);
const HOUR = new Date(NOW + 3_600_000);
const BASIC = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const DLT = { entityId: '1101', templateId: '1107' };

const SETTINGS = {
  twilio: { preset: 'twilio', accountSid: 'AC1' },
  vonage: { preset: 'vonage', apiKey: 'abcd1234' },
  infobip: { preset: 'infobip', baseUrl: 'https://xyz.api.infobip.com/' },
  bird: { preset: 'bird' },
  plivo: { preset: 'plivo', authId: 'MA1' },
  msg91: { preset: 'msg91', templateId: 'T1' },
  gupshup: { preset: 'gupshup', username: '2000' },
  kannel: { preset: 'kannel', baseUrl: 'http://kannel.test:13013', username: 'tester' },
};

function build(settings: object, message: Partial<OutgoingSms> = {}) {
  const { plan, problems } = compilePlan(rowOf(settings));
  expect(problems).toEqual([]);
  const { body, ...request } = plan.request(sms(message), NOW);
  expect(request.headers['user-agent']).toBe('Signalbox');
  delete request.headers['user-agent'];
  const type = request.headers['content-type'];
  if (body === undefined) return request;
  return {
    ...request,
    fields: type === 'application/json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  };
}

/** Replaces the MAC of an address. */
function unsigned(url: string): string {
  return url.replace(/sig=[0-9a-f]{32}/, 'sig=MAC');
}

test.each(PRESET_NAMES)('the settings of %s are usable as documented', (name) => {
  const secrets = { token: 'TOKEN', callbackSecret: 'SECRET-OF-CALLBACKS' };
  expect(readSettings(HTTP_KIND, SETTINGS[name], secrets)).toHaveProperty('settings.preset', name);
});

test('Twilio gets a form with basic authentication', () => {
  const { fields, ...request } = build(SETTINGS.twilio, {
    sender: '14155550100',
    expiresAt: HOUR,
  }) as never as {
    fields: Record<string, string>;
  };
  expect(request).toEqual({
    method: 'POST',
    url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
    headers: {
      authorization: BASIC('AC1:TOKEN'),
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  expect({ ...fields, StatusCallback: unsigned(fields['StatusCallback']!) }).toEqual({
    To: '+919812345678',
    From: '+14155550100',
    Body: 'Hello',
    StatusCallback: `${CALLBACK_URL}?ref=${SUBMISSION}%3A1&sig=MAC`,
    ValidityPeriod: '3600',
  });
});

test('Twilio gets the messaging service, and at most ten hours of validity', () => {
  const settings = { ...SETTINGS.twilio, messagingServiceSid: 'MG1' };
  expect(build(settings, { expiresAt: new Date(NOW + 172_800_000) })).toMatchObject({
    fields: { From: 'ACME', MessagingServiceSid: 'MG1', ValidityPeriod: '36000' },
  });
});

test('Vonage gets its credentials and our id in the form', () => {
  const message = { text: 'नमस्ते', encoding: 'UCS-2', messageClass: 0, dlt: DLT, expiresAt: HOUR } as const;
  expect(build(SETTINGS.vonage, message)).toEqual({
    method: 'POST',
    url: 'https://rest.nexmo.com/sms/json',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    fields: {
      from: 'ACME',
      to: '919812345678',
      text: 'नमस्ते',
      type: 'unicode',
      'message-class': '0',
      'status-report-req': '1',
      callback: `${CALLBACK_URL}?key=SECRET-OF-CALLBACKS`,
      'client-ref': `${SUBMISSION}:1`,
      ttl: '3600000',
      'entity-id': '1101',
      'content-id': '1107',
      api_key: 'abcd1234',
      api_secret: 'TOKEN',
    },
  });
});

test('Vonage gets no validity that it refuses', () => {
  const ttl = (ms: number) =>
    (build(SETTINGS.vonage, { expiresAt: new Date(NOW + ms) }) as never as { fields: { ttl: string } }).fields
      .ttl;
  expect([1, 19_999, 20_001, 8 * 86_400_000].map(ttl)).toEqual(['20000', '20000', '20001', '604800000']);
});

test('Infobip gets our id as the id of the message', () => {
  expect(build(SETTINGS.infobip, { expiresAt: HOUR, dlt: DLT })).toEqual({
    method: 'POST',
    url: 'https://xyz.api.infobip.com/sms/3/messages',
    headers: { authorization: 'App TOKEN', accept: 'application/json', 'content-type': 'application/json' },
    fields: {
      messages: [
        {
          sender: 'ACME',
          destinations: [{ to: '919812345678', messageId: `${SUBMISSION}:1` }],
          content: { text: 'Hello' },
          options: {
            validityPeriod: { amount: 60 },
            regional: { indiaDlt: { contentTemplateId: '1107', principalEntityId: '1101' } },
          },
          webhooks: {
            delivery: { url: `${CALLBACK_URL}?key=SECRET-OF-CALLBACKS`, intermediateReport: true },
            contentType: 'application/json',
          },
        },
      ],
    },
  });
});

test('Bird gets our id as the reference', () => {
  expect(build(SETTINGS.bird, { encoding: 'UCS-2', messageClass: 0, expiresAt: HOUR })).toEqual({
    method: 'POST',
    url: 'https://rest.messagebird.com/messages',
    headers: {
      authorization: 'AccessKey TOKEN',
      accept: 'application/json',
      'content-type': 'application/json',
    },
    fields: {
      originator: 'ACME',
      recipients: ['919812345678'],
      body: 'Hello',
      datacoding: 'unicode',
      type: 'flash',
      reference: `${SUBMISSION}:1`,
      reportUrl: CALLBACK_URL,
      validity: 3600,
    },
  });
});

test('Plivo gets the address of the reports of this message', () => {
  const { fields, ...request } = build(SETTINGS.plivo, { dlt: DLT }) as never as {
    fields: Record<string, string>;
  };
  expect(request).toMatchObject({
    url: 'https://api.plivo.com/v1/Account/MA1/Message/',
    headers: { authorization: BASIC('MA1:TOKEN') },
  });
  expect({ ...fields, url: unsigned(fields['url']!) }).toEqual({
    src: 'ACME',
    dst: '919812345678',
    text: 'Hello',
    url: `${CALLBACK_URL}?ref=${SUBMISSION}%3A1&sig=MAC`,
    method: 'POST',
    dlt_entity_id: '1101',
    dlt_template_id: '1107',
  });
});

test('MSG91 gets the text as the variable of a flow', () => {
  expect(build(SETTINGS.msg91, { dlt: DLT })).toEqual({
    method: 'POST',
    url: 'https://control.msg91.com/api/v5/flow',
    headers: { authkey: 'TOKEN', accept: 'application/json', 'content-type': 'application/json' },
    fields: {
      template_id: 'T1',
      sender: 'ACME',
      short_url: '0',
      DLT_TE_ID: '1107',
      recipients: [{ mobiles: '919812345678', text: 'Hello' }],
    },
  });
});

test('Gupshup gets its credentials in the form', () => {
  expect(build(SETTINGS.gupshup, { encoding: 'UCS-2', dlt: DLT })).toMatchObject({
    url: 'https://enterprise.smsgupshup.com/GatewayAPI/rest',
    fields: {
      method: 'SendMessage',
      v: '1.1',
      auth_scheme: 'plain',
      format: 'text',
      send_to: '919812345678',
      mask: 'ACME',
      msg: 'Hello',
      msg_type: 'Unicode_text',
      principalEntityId: '1101',
      dltTemplateId: '1107',
      userid: '2000',
      password: 'TOKEN',
    },
  });
});

test('Kannel gets a query, with its own escapes in the address of reports', () => {
  const { url, method } = build(SETTINGS.kannel, { text: 'é & %d {to}', expiresAt: HOUR });
  const { origin, pathname, searchParams } = new URL(url);
  const query = Object.fromEntries(searchParams);
  expect([method, origin, pathname]).toEqual(['GET', 'http://kannel.test:13013', '/cgi-bin/sendsms']);
  expect({ ...query, 'dlr-url': unsigned(query['dlr-url']!) }).toEqual({
    from: 'ACME',
    to: '919812345678',
    text: 'é & %d {to}',
    charset: 'UTF-8',
    coding: '0',
    validity: '60',
    'dlr-mask': '31',
    'dlr-url': `${CALLBACK_URL}?ref=${SUBMISSION}%3A1&sig=MAC&status=%d&reply=%A&smsc=%i&at=%T`,
    username: 'tester',
    password: 'TOKEN',
  });
});

test('without a public address no request names one', () => {
  const { plan } = compilePlan({ ...rowOf(SETTINGS.twilio), callbackUrl: null });
  expect(plan.request(sms(), NOW).body).not.toContain('StatusCallback');
});
