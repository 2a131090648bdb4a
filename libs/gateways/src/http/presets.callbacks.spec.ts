import { ERR_CODES } from '@signalbox/domain/err-codes';
import { describe, expect, test } from '@jest/globals';
import { CALLBACK_URL, callbackTo } from '../../test/http-vendor.ts';
import { SUBMISSION } from '../../test/sms.ts';
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
import { PRESET_NAMES } from './preset-names.ts';

describe('Vonage', () => {
  const expected = report({
    status: 'FAILED',
    errCode: '010',
    gatewayCode: '53',
    reportedAt: AT,
    details: { price: '0.02000000', network: '40445' },
  });

  test.each([
    ['GET', callbackTo(`${KEYED}&${new URLSearchParams(VONAGE_REPORT)}`)],
    ['POST of a form', callbackTo(KEYED, { form: VONAGE_REPORT })],
    ['POST of JSON', callbackTo(KEYED, { json: VONAGE_REPORT })],
  ])('a report arrives by %s', (_, request) => {
    expect(receive('vonage', request)).toEqual(read({ reports: [expected as never] }));
  });

  test('an unknown status is no report', () => {
    expect(receive('vonage', callbackTo(KEYED, { form: { ...VONAGE_REPORT, status: 'unknown' } }))).toEqual(
      read({}),
    );
  });

  test('an inbound message is read', () => {
    const form = {
      msisdn: '919812345678',
      to: '919811111111',
      messageId: '0B1',
      text: 'STOP',
      type: 'text',
      'message-timestamp': '2026-11-22 10:00:00',
    };
    expect(receive('vonage', callbackTo(KEYED, { form }))).toEqual(
      read({ inbound: [inbound({ gatewayMessageId: '0B1', sentAt: AT }) as never] }),
    );
  });
});

test('Infobip: every result of a callback is read', () => {
  const result = (name: string, status: object, error: object) => ({
    bulkId: 'b1',
    price: { pricePerMessage: 0.01, currency: 'EUR' },
    status,
    error,
    messageId: `${SUBMISSION}:${name}`,
    doneAt: '2026-11-22T10:00:00.000+0000',
    sentAt: '2026-11-22T09:59:00.000+0000',
    to: '919812345678',
    smsCount: 1,
    mccMnc: '40445',
  });
  const json = {
    results: [
      result(
        '1',
        { groupId: 3, groupName: 'DELIVERED', name: 'DELIVERED_TO_HANDSET' },
        { id: 0, name: 'NO_ERROR', permanent: false },
      ),
      result(
        '2',
        { groupId: 2, groupName: 'UNDELIVERABLE', name: 'UNDELIVERABLE_NOT_DELIVERED' },
        { id: 27, name: 'EC_ABSENT_SUBSCRIBER', permanent: true },
      ),
      result(
        '3',
        { groupId: 4, groupName: 'EXPIRED', name: 'EXPIRED_EXPIRED' },
        { id: 0, name: 'NO_ERROR', permanent: false },
      ),
      result('4', { groupId: 1, groupName: 'PENDING', name: 'PENDING_ENROUTE' }, {}),
      result('5', { groupId: 9, groupName: 'NEW', name: 'NEW' }, {}),
    ],
  };
  const found = receive('infobip', callbackTo(KEYED, { json }))!;
  expect(
    found.reports.map(({ messageId, status, errCode }) => `${messageId.at(-1)} ${status} ${errCode}`),
  ).toEqual(['1 DELIVERED 000', '2 FAILED 001', '3 FAILED 004', '4 SENT 000']);
  expect(found.reports[1]).toMatchObject({
    gatewayCode: 'EC_ABSENT_SUBSCRIBER',
    reportedAt: AT,
    details: { price: '0.01', currency: 'EUR', network: '40445', permanent: 'true' },
  });
  expect(found.problem).toBe('The status "NEW" is not in callback.reports.statuses.');
});

test('Vonage: a segment of an inbound message has its place, unless that is no place', () => {
  const segment = (place: object) => {
    const form = {
      messageId: 'id',
      msisdn: '919812345678',
      to: '919811111111',
      text: 'x',
      'concat-ref': 'b08',
      ...place,
    };
    return receive('vonage', callbackTo(KEYED, { form }))?.inbound[0]?.segment;
  };
  const first = segment({ 'concat-part': '1', 'concat-total': '2' });
  expect(first).toEqual({ reference: expect.any(Number), position: 1, total: 2 });
  expect(segment({ 'concat-part': '2', 'concat-total': '2' })).toEqual({ ...first, position: 2 });
  for (const [part, total] of [
    ['0', '2'],
    ['3', '2'],
    ['1', '1'],
    ['1', '999'],
    ['x', '2'],
  ])
    expect(segment({ 'concat-part': part, 'concat-total': total })).toBeUndefined();
});

test('Infobip: inbound messages are read', () => {
  const json = {
    results: [
      {
        messageId: '817790313235066447',
        from: '919812345678',
        to: '919811111111',
        text: 'STOP',
        cleanText: '',
        receivedAt: '2026-11-22T10:00:00.000+0000',
        smsCount: 1,
      },
    ],
    messageCount: 1,
    pendingMessageCount: 0,
  };
  expect(receive('infobip', callbackTo(KEYED, { json }))).toEqual(
    read({ inbound: [inbound({ gatewayMessageId: '817790313235066447', sentAt: AT }) as never] }),
  );
});

test('MSG91: every number of every request is read, by its id and not ahead of time', () => {
  const data = [
    {
      senderId: 'ACME',
      requestId: '346a',
      report: [
        { date: '2026-11-22 10:00:00', number: '919812345678', status: '1', desc: 'DELIVERED' },
        { date: '2026-11-22 10:00:00', number: '919812345679', status: '9', desc: 'NDNC' },
      ],
      userId: '27',
      campaignName: 'API',
    },
    {
      requestId: '346b',
      report: [{ date: '2199-11-22 10:00:00', number: '919812345670', status: '2', desc: 'FAILED' }],
    },
  ];
  const found = receive('msg91', callbackTo(KEYED, { form: { data: JSON.stringify(data) } }));
  expect(found).toMatchObject({ reports: [], inbound: [], problem: null });
  expect(found?.unresolved).toEqual([
    {
      gatewayMessageId: '346a',
      recipient: '919812345678',
      status: 'DELIVERED',
      errCode: '000',
      gatewayCode: '1',
      description: 'DELIVERED',
      reportedAt: AT,
    },
    {
      gatewayMessageId: '346a',
      recipient: '919812345679',
      status: 'FAILED',
      errCode: '010',
      gatewayCode: '9',
      description: 'NDNC',
      reportedAt: AT,
    },
    {
      gatewayMessageId: '346b',
      recipient: '919812345670',
      status: 'FAILED',
      errCode: '099',
      gatewayCode: '2',
      description: 'FAILED',
      reportedAt: expect.any(Date),
    },
  ]);
  expect(found!.unresolved![2]!.reportedAt.getTime()).toBeLessThanOrEqual(Date.now());
});

test('MSG91: each of the thousands of numbers that a callback may have is read', () => {
  const numbers = Array.from({ length: 3_000 }, (_, i) => String(919_800_000_000 + i));
  const data = [{ requestId: '346a', report: numbers.map((number) => ({ number, status: '1' })) }];
  const found = receive('msg91', callbackTo(KEYED, { form: { data: JSON.stringify(data) } }));
  expect(found?.unresolved?.map(({ recipient }) => recipient)).toEqual(numbers);
});

test('Gupshup: the events of a form field are read by their ids', () => {
  const response = [
    {
      srcAddr: 'TESTIN',
      channel: 'SMS',
      externalId: '3562707498794989059-328736121207676738',
      cause: 'SUCCESS',
      errorCode: '000',
      destAddr: '919812345678',
      eventType: 'DELIVERED',
      eventTs: String(AT.getTime()),
    },
    {
      srcAddr: 'ABCDEF',
      channel: 'SMS',
      externalId: '37-25',
      cause: ' UNKNOWN_SUBSCRIBER',
      errorCode: '003',
      destAddr: '919812345670',
      eventType: 'FAILED',
      eventTs: AT.getTime(),
    },
  ];
  const found = receive('gupshup', callbackTo(KEYED, { form: { response: JSON.stringify(response) } }));
  expect(found?.unresolved).toMatchObject([
    {
      gatewayMessageId: '3562707498794989059-328736121207676738',
      status: 'DELIVERED',
      errCode: '000',
      reportedAt: AT,
    },
    {
      gatewayMessageId: '37-25',
      recipient: '919812345670',
      status: 'FAILED',
      errCode: '003',
      gatewayCode: 'UNKNOWN_SUBSCRIBER',
      reportedAt: AT,
    },
  ]);
});

/** A failure that the gateway does not describe. */
const failed = (errCode: keyof typeof ERR_CODES, gatewayCode: string) => ({
  status: 'FAILED',
  errCode,
  description: ERR_CODES[errCode],
  gatewayCode,
});

/** Values of %d and %A of reports, and how they are read. */
const KANNEL_REPORTS: [string, string, object][] = [
  ['1', 'id:7 stat:DELIVRD err:000 text:', { status: 'DELIVERED', description: 'Message delivered' }],
  ['8', 'ACK/', { status: 'SENT', description: 'Message accepted by the gateway' }],
  [
    '16',
    'NACK/11/Invalid Destination Address',
    { status: 'FAILED', errCode: '099', description: 'Invalid Destination Address' },
  ],
  ['2', 'id:7 stat:UNDELIV err:00B text:', failed('099', '00B')],
  ['2', 'id:7 stat:UNDELIV err:027 text:', failed('001', '027')],
  ['2', 'id:7 stat:EXPIRED err:000 text:', failed('004', 'EXPIRED')],
  ['2', 'id:7 stat:DELETED err:6 text:', failed('001', '6')],
];

describe('Kannel', () => {
  const url = (values: Record<string, string>) =>
    reportUrl('kannel', { baseUrl: 'http://kannel.test', username: 'x' }).replace(
      /%([dAiT])/g,
      (_, name: string) => encodeURIComponent(values[name] ?? ''),
    );

  test.each(KANNEL_REPORTS)('the report %s is on the message of its address', (d, A, expected) => {
    const request = callbackTo(url({ d, A, i: 'smsc1', T: String(AT.getTime() / 1_000) }));
    expect(receive('kannel', request)).toEqual(
      read({
        reports: [report({ reportedAt: AT, details: { smsc: 'smsc1' }, ...expected }) as never],
      }),
    );
  });

  test('an inbound message is a GET with the secret', () => {
    const query = new URLSearchParams({
      key: 'SECRET-OF-CALLBACKS',
      id: 'k1',
      from: '+919812345678',
      to: '919811111111',
      text: 'STOP',
      at: '1795341600',
    });
    const request = callbackTo(`${CALLBACK_URL}?${query}`);
    expect(receive('kannel', request)).toMatchObject({ inbound: [inbound({ gatewayMessageId: 'k1' })] });
    expect(callbacksOf('kannel').keep!(request).toString()).not.toContain('SECRET-OF-CALLBACKS');
  });

  test.each([
    ['a short code', '57575', '57575'],
    ['a name', 'ACME Bank', 'ACME Bank'],
    ['a number with a plus', '+919812345678', '919812345678'],
    ['a number with a double zero', '00919812345678', '919812345678'],
  ])('an inbound message may be from %s', (_, from, stored) => {
    const query = new URLSearchParams({ key: 'SECRET-OF-CALLBACKS', from, to: '57575', text: 'Hi' });
    const found = receive('kannel', callbackTo(`${CALLBACK_URL}?${query}`));
    expect(found).toMatchObject({ inbound: [{ from: stored, to: '57575' }], problem: null });
  });

  test('a fragment of an address hides nothing that was verified from what is read', () => {
    const [, signed] = url({}).split('?');
    const query = `from=919812345678&to=919811111111&text=STOP#&${signed}`;
    const request = {
      ...callbackTo(CALLBACK_URL),
      url: `${CALLBACK_URL}?${query}`,
      query: new URLSearchParams(query),
    };
    expect(receive('kannel', request)).toEqual(read({ problem: expect.any(String) as never }));
  });

  test.each(['', '?key=wrong', `?ref=${ID}`, `?ref=${ID}&sig=00`, `?key=SECRET-OF-CALLBACKS&ref=${ID}`])(
    'a callback to %j is refused',
    (query) => {
      expect(receive('kannel', callbackTo(`${CALLBACK_URL}${query}`))).toBeUndefined();
    },
  );
});

test('Gupshup: reports and messages arrive by GET, and the answer sends nothing', () => {
  const query = (fields: Record<string, string>) => callbackTo(`${KEYED}&${new URLSearchParams(fields)}`);
  const given = {
    externalId: '3562707498794989059-328736121207676738',
    deliveredTS: String(AT.getTime()),
    status: 'FAILURE',
    cause: 'ABSENT_SUBSCRIBER',
    phoneNo: '919812345678',
    errCode: '001',
    noOfFrags: '1',
  };
  const message = { phonecode: '9220092200', keyword: 'STOP', content: 'STOP', msisdn: '9812345678' };

  expect(receive('gupshup', query(given))?.unresolved).toMatchObject([
    {
      gatewayMessageId: given.externalId,
      recipient: '919812345678',
      status: 'FAILED',
      errCode: '001',
      gatewayCode: 'ABSENT_SUBSCRIBER',
      reportedAt: AT,
    },
  ]);
  for (const msisdn of ['9812345678', '919812345678'])
    expect(receive('gupshup', query({ ...message, msisdn, timestamp: String(AT.getTime()) }))).toEqual(
      read({ inbound: [inbound({ to: '919220092200', sentAt: AT }) as never] }),
    );
  expect(receive('gupshup', query({ ...message, phonecode: '56767' }))?.inbound).toMatchObject([
    { to: '56767' },
  ]);
  expect(callbacksOf('gupshup').answer?.body).toBe('<response></response>');
});

test.each([
  '',
  '{',
  '[]',
  '[[]]',
  'null',
  '\0',
  '{"results":[null,1,{"status":{}}]}',
  'data=%5B1%5D',
  '\xff\xfe',
])('no preset throws on the body %j', (body) => {
  for (const preset of PRESET_NAMES) {
    const format = callbacksOf(preset);
    const kept = format.keep!(callbackTo(KEYED, { body }));
    expect(format.read(kept)).toMatchObject({ reports: [] });
    expect(format.read(Buffer.from(body, 'latin1'))).toMatchObject({ reports: [] });
  }
});
