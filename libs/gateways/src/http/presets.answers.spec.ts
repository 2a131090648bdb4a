import { expect, test } from '@jest/globals';
import { rowOf } from '../../test/http-vendor.ts';
import { compilePlan } from './plan.ts';
import type { PresetName } from './preset-names.ts';

const BASE = { infobip: { baseUrl: 'https://x.api.infobip.com' }, kannel: { baseUrl: 'http://kannel.test' } };

function read(preset: PresetName, status: number, body: unknown, faults = 1) {
  const { plan } = compilePlan(rowOf({ preset, ...(BASE as Record<string, object>)[preset] }));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { outcome, down } = plan.readAnswer({ status, body: text }, () => faults);
  return down === undefined ? outcome : { ...outcome, down };
}

const accepted = (...gatewayMessageIds: string[]) => ({ result: 'accepted', gatewayMessageIds });
const rejected = (errCode: string, gatewayCode?: string, fields: object = {}) => ({
  result: 'rejected',
  errCode,
  ...(gatewayCode !== undefined && { gatewayCode }),
  ...fields,
});
const throttled = { result: 'throttled', scope: 'gateway' };
const down = { ...throttled, down: expect.any(String) };

const infobip = (groupName: string, name: string) => ({
  messages: [
    {
      messageId: 'm1',
      status: { groupId: 1, groupName, id: 26, name, description: 'text' },
      destination: '41',
    },
  ],
});
const vonage = (...messages: object[]) => ({ 'message-count': String(messages.length), messages });

test.each<[PresetName, string, number, unknown, object]>([
  ['twilio', 'queued', 201, { sid: 'SM1', status: 'queued', error_code: null }, accepted('SM1')],
  [
    'twilio',
    'bad number',
    400,
    { code: 21211, message: "Invalid 'To'", status: 400 },
    rejected('003', '21211'),
  ],
  ['twilio', 'no route', 400, { code: 21612, status: 400 }, rejected('011', '21612', { tryOther: true })],
  ['twilio', 'stopped', 400, { code: 21610, status: 400 }, rejected('010', '21610')],
  ['twilio', 'other', 400, { code: 99999, message: 'No', status: 400 }, rejected('099', '99999')],
  ['twilio', 'busy', 429, { code: 20429, status: 429 }, throttled],
  [
    'twilio',
    'full queue of a sender',
    429,
    { code: 21611, status: 429 },
    { ...throttled, scope: 'sender', retryAfterMs: 60_000 },
  ],
  ['twilio', 'one pair', 429, { code: 14107, status: 429 }, { ...throttled, scope: 'pair' }],
  ['twilio', 'a request that came too slowly', 408, '<html>', throttled],
  ['twilio', 'a request in early data', 425, '', throttled],
  ['twilio', 'credentials', 401, { code: 20003, message: 'Authenticate', status: 401 }, down],
  ['twilio', 'broken', 503, '<html>', { result: 'unconfirmed' }],
  ['vonage', 'taken', 200, vonage({ status: '0', 'message-id': '0A1' }), accepted('0A1')],
  [
    'vonage',
    'two segments',
    200,
    vonage({ status: '0', 'message-id': 'a' }, { status: '0', 'message-id': 'b' }),
    accepted('a', 'b'),
  ],
  [
    'vonage',
    'one of two segments',
    200,
    vonage({ status: '0', 'message-id': 'a' }, { status: '7' }),
    { result: 'unconfirmed' },
  ],
  [
    'vonage',
    'busy',
    200,
    vonage({ status: '1', 'error-text': 'Throughput Rate Exceeded - please wait [ 250 ] and retry' }),
    { ...throttled, retryAfterMs: 250 },
  ],
  [
    'vonage',
    'sender',
    200,
    vonage({ status: '15', 'error-text': 'Illegal Sender Address - rejected' }),
    rejected('007', '15', { tryOther: true }),
  ],
  ['vonage', 'credentials', 200, vonage({ status: '4', 'error-text': 'Bad Credentials' }), down],
  [
    'vonage',
    'own fault',
    200,
    vonage({ status: '5' }),
    { ...throttled, scope: 'message', retryAfterMs: 10_000, isFault: true },
  ],
  ['vonage', 'unknown', 200, vonage({ status: '77', 'error-text': 'x' }), rejected('099', '77')],
  ['infobip', 'pending', 200, infobip('PENDING', 'PENDING_ACCEPTED'), accepted('m1')],
  [
    'infobip',
    'do not disturb',
    200,
    infobip('REJECTED', 'REJECTED_DND'),
    rejected('010', 'REJECTED_DND', { description: 'HTTP 200, code REJECTED_DND: text' }),
  ],
  ['infobip', 'credit', 200, infobip('REJECTED', 'REJECTED_NOT_ENOUGH_CREDITS'), down],
  [
    'infobip',
    'bad request',
    400,
    { requestError: { serviceException: { messageId: 'BAD_REQUEST', text: 'Bad' } } },
    rejected('013', 'BAD_REQUEST'),
  ],
  [
    'infobip',
    'bad request of version 3',
    400,
    { errorCode: 'E400', description: 'Request cannot be processed.' },
    rejected('013', 'E400'),
  ],
  ['infobip', 'busy', 429, { errorCode: 'E429', description: 'Too many' }, throttled],
  [
    'infobip',
    'credentials',
    401,
    { requestError: { serviceException: { messageId: 'UNAUTHORIZED' } } },
    down,
  ],
  [
    'bird',
    'sent',
    201,
    { id: 'e8077d', recipients: { totalCount: 1, items: [{ status: 'sent' }] } },
    accepted('e8077d'),
  ],
  [
    'bird',
    'recipient',
    422,
    { errors: [{ code: 9, description: 'no (correct) recipients found', parameter: 'recipient' }] },
    rejected('003', '9'),
  ],
  ['bird', 'credit', 402, { errors: [{ code: 25, description: 'Not enough balance' }] }, down],
  [
    'bird',
    'credentials',
    401,
    { errors: [{ code: 2, description: 'Request not allowed (incorrect access_key)' }] },
    down,
  ],
  [
    'plivo',
    'queued',
    202,
    { message: 'message(s) queued', message_uuid: ['db3c'], api_id: 'db34' },
    accepted('db3c'),
  ],
  ['plivo', 'recipient', 400, { api_id: 'a', error: '1 is not a valid phone number.' }, rejected('003')],
  ['plivo', 'credentials', 401, 'Could not verify your access level for that URL.', down],
  ['plivo', 'credit', 402, { error: 'insufficient credits' }, down],
  ['plivo', 'busy', 429, { error: 'Too many requests' }, throttled],
  [
    'msg91',
    'taken',
    200,
    { message: '3763646c3058373530393938', type: 'success' },
    accepted('3763646c3058373530393938'),
  ],
  [
    'msg91',
    'flow',
    400,
    { message: 'Template ID Missing or Invalid Template', type: 'error' },
    rejected('015'),
  ],
  ['msg91', 'credentials', 200, { message: 'AuthKey invalid', type: 'error', code: '201' }, down],
  [
    'gupshup',
    'taken',
    200,
    'success | 919812345678 | 3121580926397906944-311853215801201910',
    accepted('3121580926397906944-311853215801201910'),
  ],
  [
    'gupshup',
    'number',
    200,
    'error | 105 | The phone number "1" is not a valid phone number',
    rejected('003', '105'),
  ],
  ['gupshup', 'credentials', 200, 'error | 102 | The user id or password is not valid.', down],
  ['gupshup', 'unknown', 200, 'error | 999 | Something', rejected('099', '999')],
  ['kannel', 'taken', 202, '0: Accepted for delivery', accepted()],
  ['kannel', 'queued', 202, '3: Queued for later delivery', accepted()],
  ['kannel', 'credentials', 403, 'Authorization failed for sendsms', down],
  ['kannel', 'full', 503, 'Temporal failure, try again later.', throttled],
  [
    'kannel',
    'no route',
    403,
    'Not routable. Do not try again.',
    rejected('011', undefined, { tryOther: true }),
  ],
])('%s: %s', (preset, _, status, body, outcome) => {
  expect(read(preset, status, body)).toMatchObject(outcome);
});

test('a fault of the gateway is final the third time', () => {
  expect(read('vonage', 200, vonage({ status: '5' }), 2)).toMatchObject({ retryAfterMs: 30_000 });
  expect(read('vonage', 200, vonage({ status: '5' }), 3)).toMatchObject(
    rejected('006', '5', { tryOther: true }),
  );
});
