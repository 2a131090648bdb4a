import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { cloudApiCallbacks, readCloudApiCallback } from './callback.ts';

const ID = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66';
const NUMBER = '15550783881';
const USER = 'US.13491208655302741918';
const METADATA = { display_phone_number: '+1 (555) 078-3881', phone_number_id: '106540352242922' };
const SECRETS = { appSecret: 'app secret', verifyToken: 'verify token' };
const format = cloudApiCallbacks(SECRETS);

const change = (field: string, value: object): object => ({ field, value: { metadata: METADATA, ...value } });
const envelope = (...changes: unknown[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', time: 1_780_000_000, changes }],
    }),
  );
const read = (...changes: unknown[]) => readCloudApiCallback(envelope(...changes));
const status = (n: number, word = 'delivered', more: object = {}): object => ({
  id: `wamid.${n}`,
  status: word,
  timestamp: '1780000000',
  recipient_id: '919800000001',
  biz_opaque_callback_data: `${ID}:${n}`,
  ...more,
});
const message = (more: object): object => ({
  from: '919800000001',
  id: 'wamid.in',
  timestamp: '1780000000',
  ...more,
});

test('the challenge of a subscription is echoed for the right token only', () => {
  const ask = (token: string, value: string) => {
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': token,
      'hub.challenge': value,
    });
    return format.challenge!({ method: 'GET', url: 'https://x', query, headers: {}, body: Buffer.of() });
  };
  expect(ask('verify token', '1158201444')).toEqual({ status: 200, body: '1158201444' });
  expect(ask('wrong', '1158201444')).toEqual({ status: 403, body: '' });
  expect(ask('verify token', '<script>')).toEqual({ status: 403, body: '' });
});

test('a request without a subscription mode is no challenge', () => {
  const request = { method: 'GET' as const, url: 'https://x', headers: {}, body: Buffer.of() };
  expect(format.challenge!({ ...request, query: new URLSearchParams() })).toBeUndefined();
});

test('words that are no text, however deep, lose no other part of a body', () => {
  const nested = '['.repeat(60_000) + ']'.repeat(60_000);
  const words = [nested, '{"toString":null}'].flatMap((word) => [
    `{"field":${word},"value":{}}`,
    `{"field":"messages","value":{"statuses":[{"id":"1","status":${word}}]}}`,
  ]);
  const good = JSON.stringify(change('messages', { statuses: [status(1)] }));
  const body = `{"entry":[{"changes":[${[...words, good].join()}]}]}`;
  expect(readCloudApiCallback(Buffer.from(body))).toMatchObject({
    reports: [{ messageId: `${ID}:1` }],
    problem: 'Parts that cannot be read: 2. Not read: field without a name.',
  });
});

test('the signature covers the raw bytes, as an independent client checks it', async () => {
  const body = Buffer.from('{"entry": [ ], "text":"\\u00e9"}');
  const hex = createHmac('sha256', SECRETS.appSecret).update(body).digest('hex');
  const verify = (signature: string, bytes = body) =>
    format.verify({
      method: 'POST',
      url: 'https://x',
      query: new URLSearchParams(),
      headers: { 'x-hub-signature-256': signature },
      body: bytes,
    });
  const peer = new WhatsAppAPI({ token: 't', appSecret: SECRETS.appSecret, v: 'v25.0' });

  expect(await peer.verifyRequestSignature(body.toString(), `sha256=${hex}`)).toBe(true);
  expect(verify(`sha256=${hex}`)).toBe(true);
  expect(verify(`sha256=${hex}`, Buffer.from(body.toString().replace(' ', '')))).toBe(false);
  expect(verify(hex)).toBe(false);
  expect(verify('')).toBe(false);
});

test('a thousand statuses in one body, twice and shuffled, are read once each', () => {
  const all = Array.from({ length: 1_000 }, (_, i) => status(i + 1, ['sent', 'delivered', 'read'][i % 3]));
  const shuffled = [...all, ...all].map((each, i) => ({ each, at: (i * 7_919) % 2_003 }));
  const mixed = shuffled.toSorted((a, b) => a.at - b.at).map(({ each }) => each);

  const { reports, problem } = read(
    change('messages', { statuses: mixed.slice(0, 700) }),
    change('messages', { statuses: mixed.slice(700) }),
  );

  expect(problem).toBeNull();
  expect(reports).toHaveLength(1_000);
  expect(new Set(reports.map(({ messageId }) => messageId)).size).toBe(1_000);
});

test.each([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'],
])('the status %s is reported as %s', (word, expected) => {
  expect(read(change('messages', { statuses: [status(1, word)] })).reports).toMatchObject([
    { messageId: `${ID}:1`, status: expected, errCode: '000', reportedAt: new Date(1_780_000_000_000) },
  ]);
});

test('a failure keeps the code, the reason, the price and the errors of WhatsApp', () => {
  const errors = [
    { code: 131_026, title: 'Message undeliverable', error_data: { details: 'Recipient cannot be reached' } },
  ];
  const pricing = { billable: false, pricing_model: 'PMP', category: 'utility', type: 'regular' };

  const { reports } = read(change('messages', { statuses: [status(1, 'failed', { errors, pricing })] }));

  expect(reports).toMatchObject([
    {
      status: 'FAILED',
      errCode: '001',
      gatewayCode: '131026',
      description: 'Recipient cannot be reached',
      details: { errors, pricing },
    },
  ]);
});

test('an unknown code fails with 099', () => {
  const errors = [{ code: 999_999, title: 'Something new' }];
  expect(read(change('messages', { statuses: [status(1, 'failed', { errors })] })).reports).toMatchObject([
    { errCode: '099', gatewayCode: '999999', description: 'Something new' },
  ]);
});

test('a status that moves no message is no problem', () => {
  const { reports, problem } = read(change('messages', { statuses: [status(1, 'deleted')] }));
  expect([reports, problem]).toEqual([[], null]);
});

const MEDIA = { id: '1', mime_type: 'image/jpeg', sha256: 'abc' };

test.each<[string, object]>([
  ['text', { body: 'Hello' }],
  ['image', { ...MEDIA, caption: 'Me' }],
  ['video', MEDIA],
  ['audio', { ...MEDIA, voice: true }],
  ['document', { ...MEDIA, filename: 'a.pdf' }],
  ['sticker', { ...MEDIA, animated: false }],
  ['location', { latitude: 1.5, longitude: 2.5, name: 'Home' }],
  ['contacts', [{ name: { formatted_name: 'Ann' }, phones: [{ phone: '1' }] }]],
  ['interactive', { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } }],
  ['interactive', { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'first' } }],
  ['interactive', { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{}' } }],
  ['button', { text: 'More', payload: 'More' }],
  ['reaction', { message_id: 'wamid.out', emoji: '👍' }],
  ['order', { catalog_id: '1', product_items: [{ product_retailer_id: 'p', quantity: 1 }] }],
  ['system', { type: 'user_changed_number', body: 'changed', wa_id: '919800000002' }],
])('an inbound message of the kind %s is read with its content %j', (kind, content) => {
  const { inbound, problem } = read(
    change('messages', { messages: [message({ type: kind, [kind]: content })] }),
  );
  expect(problem).toBeNull();
  expect(inbound).toMatchObject([
    { gatewayMessageId: 'wamid.in', from: '919800000001', to: NUMBER, kind, content: { [kind]: content } },
  ]);
});

test('a kind that Meta or Signalbox does not know arrives as unsupported', () => {
  const errors = [{ code: 131_051, title: 'Message type unknown' }];
  const { inbound, problem } = read(
    change('messages', {
      messages: [
        message({ type: 'unsupported', errors }),
        message({ type: 'hologram', hologram: { depth: 3 } }),
      ],
    }),
  );
  expect(inbound.map(({ kind, content }) => [kind, content])).toEqual([
    ['unsupported', { unsupported: { type: 'unsupported', errors } }],
    ['unsupported', { unsupported: { type: 'hologram', content: { depth: 3 } } }],
  ]);
  expect(problem).toBe('Not read: message kind hologram.');
});

test('a message names the message that it answers, by a reply or by a reaction', () => {
  const { inbound } = read(
    change('messages', {
      messages: [
        message({ type: 'text', text: { body: 'Yes' }, context: { from: NUMBER, id: 'wamid.1' } }),
        message({ type: 'reaction', reaction: { message_id: 'wamid.2', emoji: '👍' } }),
      ],
    }),
  );
  expect(inbound.map(({ replyToGatewayId }) => replyToGatewayId)).toEqual(['wamid.1', 'wamid.2']);
});

test('a writer without a number is known by the user id', () => {
  const text = { type: 'text', text: { body: 'Hello' } };
  const { inbound } = read(
    change('messages', {
      contacts: [{ user_id: USER, profile: { username: 'ann' } }],
      messages: [{ id: 'wamid.in', from_user_id: USER, timestamp: '1780000000', ...text }],
    }),
    change('messages', { messages: [message({ ...text, from_user_id: USER })] }),
    change('messages', {
      contacts: [{ wa_id: '919800000001', user_id: USER }],
      messages: [message(text)],
    }),
  );
  expect(inbound.map(({ from, userId }) => [from, userId])).toEqual([
    [null, USER],
    ['919800000001', USER],
    ['919800000001', USER],
  ]);
});

test('a recipient who refuses marketing messages opts out, by number and by user id', () => {
  const failed = status(1, 'failed', { errors: [{ code: 131_050 }], recipient_user_id: USER });
  const preference = { wa_id: '919800000002', value: 'resume', timestamp: 1_780_000_001 };
  const { consents } = read(
    change('messages', { statuses: [failed] }),
    change('user_preferences', { user_preferences: [preference] }),
  );
  expect(consents).toMatchObject([
    { recipient: '919800000001', sender: NUMBER, consent: 'stop' },
    { recipient: USER, sender: NUMBER, consent: 'stop' },
    { recipient: '919800000002', sender: NUMBER, consent: 'start', at: new Date(1_780_000_001_000) },
  ]);
});

test('changes of a template carry its id, its state and the reason', () => {
  const about = {
    message_template_id: 594_425,
    message_template_name: 'order',
    message_template_language: 'en',
  };
  const { templates } = read(
    change('message_template_status_update', { ...about, event: 'APPROVED', reason: 'NONE' }),
    change('message_template_status_update', {
      ...about,
      event: 'REJECTED',
      reason: 'INVALID_FORMAT',
      rejection_info: { reason: 'The footer is a promotion', recommendation: 'Remove it' },
    }),
    change('message_template_quality_update', {
      ...about,
      previous_quality_score: 'GREEN',
      new_quality_score: 'RED',
    }),
    change('template_category_update', { ...about, previous_category: 'UTILITY', new_category: 'MARKETING' }),
    change('template_category_update', { ...about, new_category: 'UTILITY', correct_category: 'MARKETING' }),
  );
  expect(templates!.map(({ at: _at, name: _name, language: _language, ...news }) => news)).toEqual([
    { gatewayTemplateId: '594425', status: 'APPROVED' },
    {
      gatewayTemplateId: '594425',
      status: 'REJECTED',
      reason: 'INVALID_FORMAT. The footer is a promotion. Remove it',
    },
    { gatewayTemplateId: '594425', quality: 'RED' },
    { gatewayTemplateId: '594425', category: 'MARKETING' },
    { gatewayTemplateId: '594425', category: 'UTILITY', comingCategory: 'MARKETING' },
  ]);
});

test('parts that cannot be read are counted, and the others are read', () => {
  const { reports, inbound, problem } = read(
    null,
    { field: 'messages' },
    change('messages', {
      statuses: [null, { biz_opaque_callback_data: 7, status: 'sent' }, status(1)],
      messages: [7, { id: 'x' }],
    }),
    change('messages', { messages: [message({ type: 'text', text: { body: 'Hi' } })] }),
    change('weather', {}),
  );
  expect(reports).toHaveLength(1);
  expect(inbound).toHaveLength(1);
  expect(problem).toBe('Parts that cannot be read: 6. Not read: field weather.');
});

test('what Meta adds is named in the problem and loses nothing else', () => {
  const error = { code: 130_429, title: 'Rate limit hit', error_data: { details: 'Throughput reached.' } };
  const elsewhere = { id: 'wamid.9', status: 'sent', timestamp: '1780000000' };
  const about = { message_template_id: 1, message_template_name: 'order', message_template_language: 'en' };
  const { reports, templates, problem } = read(
    change('messages', { errors: [error, error], statuses: [status(1, 'teleported'), elsewhere, status(2)] }),
    change('message_template_status_update', { ...about, event: 'DREAMING' }),
    change('message_template_status_update', { ...about, event: 'UNARCHIVED' }),
    change('standby', {}),
  );

  expect(reports).toHaveLength(1);
  expect(templates).toHaveLength(2);
  expect(problem).toBe(
    'Statuses of messages that were not sent from here: 1. Not read: status teleported, template event DREAMING. ' +
      'Meta reports: 130429, Throughput reached.',
  );
});

test('content is kept storable: without NUL, and not deeper than eight levels', () => {
  const deep = '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000);
  const messages = [
    message({ type: 'order', order: 'DEEP' }),
    message({ type: 'text', text: { body: 'a\0b' } }),
  ];
  const body = envelope(change('messages', { messages })).toString().replace('"DEEP"', deep);

  const { inbound } = readCloudApiCallback(Buffer.from(body));

  expect(JSON.stringify(inbound[0]!.content).length).toBeLessThan(100);
  expect(inbound[1]!.content).toEqual({ text: { body: 'ab' } });
});

test('no body makes the reader throw', () => {
  const pieces = fc.oneof(
    fc.anything(),
    fc.constantFrom(status(1), message({ type: 'text' }), { code: 1 }, [], '', null, 131_026),
  );
  const value = fc.record(
    {
      metadata: fc.oneof(fc.constant(METADATA), pieces),
      statuses: fc.oneof(fc.array(pieces), pieces),
      messages: fc.oneof(fc.array(pieces), pieces),
      contacts: fc.oneof(fc.array(pieces), pieces),
      user_preferences: pieces,
      message_template_id: pieces,
      event: pieces,
      reason: pieces,
    },
    { requiredKeys: [] },
  );
  const field = fc.constantFrom(
    'messages',
    'user_preferences',
    'message_template_status_update',
    'x',
    7,
    null,
  );
  fc.assert(
    fc.property(fc.array(fc.record({ field, value: fc.oneof(value, pieces) })), (changes) => {
      const text = JSON.stringify({ entry: [{ changes }] }, (_key, each: unknown) =>
        typeof each === 'bigint' ? String(each) : each,
      );
      expect(readCloudApiCallback(Buffer.from(text)).reports).toBeInstanceOf(Array);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(readCloudApiCallback(Buffer.from(bytes)).inbound).toEqual([]);
    }),
  );
});
