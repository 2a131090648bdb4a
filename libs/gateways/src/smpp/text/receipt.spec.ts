import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ShortMessage, TAG, type Tlv, emptyMessage } from '../pdu.ts';
import { readReceipt } from './receipt.ts';
import { ReceiptSettings } from './receipt-settings.ts';
import { encodeUcs2 } from './ucs2.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const TEXT =
  'id:7 sub:001 dlvrd:001 submit date:2605011000 done date:2605011001 stat:DELIVRD err:000 text:Hi';
/** The end of the minute that the receipts name. */
const DONE = '2026-05-01T10:01:59.999Z';

type Changes = Omit<Partial<ShortMessage>, 'shortMessage'> & { text?: string | Buffer };

function receipt({ text = TEXT, ...changes }: Changes = {}): ShortMessage {
  return {
    ...emptyMessage(),
    sourceTon: 1,
    sourceNpi: 1,
    source: '919800000001',
    destinationTon: 5,
    destination: 'SIGNAL',
    esmClass: 4,
    shortMessage: Buffer.from(text),
    ...changes,
  };
}

function read(changes: Changes, settings: Partial<ReceiptSettings> = {}) {
  return readReceipt(receipt(changes), Object.assign(new ReceiptSettings(), settings), NOW);
}

const tlv = (tag: number, ...value: number[]): Tlv => ({ tag, value: Buffer.from(value) });
const id = (text: string): Tlv => ({ tag: TAG.receiptedMessageId, value: Buffer.from(text) });

test('the standard form', () => {
  expect(read({})).toEqual({
    gatewayMessageId: '7',
    recipient: '919800000001',
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: '000',
    description: 'Message delivered',
    reportedAt: new Date(DONE),
  });
});

/** [name, message, what differs from a report of message 7, delivered, without a code] */
const VARIANTS: [string, Changes, Record<string, unknown>?][] = [
  ['capitals', { text: 'ID:7 STAT:DELIVRD ERR:000 TEXT:' }],
  ['Text with a capital', { text: 'id:7 stat:DELIVRD err:000 Text:stat:UNDELIV id:8' }],
  ['no sub and no dlvrd', { text: 'id:7 submit date:2605011000 done date:2605011001 stat:DELIVRD err:000' }],
  ['nothing after err', { text: 'id:7 stat:DELIVRD err:' }],
  ['err of spaces', { text: 'id:7 stat:DELIVRD err: text:' }],
  ['a space after each key', { text: 'id: 7 stat: DELIVRD err: 0 text: Hi' }],
  ['another order', { text: 'stat:DELIVRD done date:2605011001 id:7 err:000' }],
  ['commas', { text: 'id:7,sub:001,dlvrd:001,stat:DELIVRD,err:000' }],
  ['no id', { text: 'sub:001 dlvrd:001 stat:DELIVRD err:000' }, { gatewayMessageId: '' }],
  ['an empty id', { text: 'id: sub:001 stat:DELIVRD' }, { gatewayMessageId: '' }],
  ['no date', { text: 'id:7 stat:DELIVRD' }, { reportedAt: NOW }],
  ['an empty done date', { text: 'id:7 done date: stat:DELIVRD' }, { reportedAt: NOW }],
  [
    '12 digits',
    { text: 'id:7 done date:260501100130 stat:DELIVRD' },
    { reportedAt: new Date('2026-05-01T10:01:30Z') },
  ],
  [
    'a century',
    { text: 'id:7 done date:20260501100130 stat:DELIVRD' },
    { reportedAt: new Date('2026-05-01T10:01:30Z') },
  ],
  [
    '16 characters',
    { text: 'id:7 done date:260501133130912+ stat:DELIVRD' },
    { reportedAt: new Date('2026-05-01T10:31:30Z') },
  ],
  ['the present minute', { text: 'id:7 done date:2605011200 stat:DELIVRD' }, { reportedAt: NOW }],
  ['a malformed date', { text: 'id:7 done date:2699999999 stat:DELIVRD' }, { reportedAt: NOW }],
  ['a date far ahead', { text: 'id:7 done date:3605011001 stat:DELIVRD' }, { reportedAt: NOW }],
  ['a hexadecimal id', { text: 'id:0x1F4 stat:DELIVRD' }, { gatewayMessageId: '0x1F4' }],
  ['leading zeros', { text: 'id:0000000007 stat:DELIVRD' }, { gatewayMessageId: '0000000007' }],
  [
    'a UUID',
    { text: 'id:0c1d6e2e-3b1a-4a5c-9d0e-1f2a3b4c5d6e stat:DELIVRD' },
    { gatewayMessageId: '0c1d6e2e-3b1a-4a5c-9d0e-1f2a3b4c5d6e' },
  ],
  ['an id with a suffix', { text: 'id:SAR-7a-1 stat:DELIVRD' }, { gatewayMessageId: 'SAR-7a-1' }],
  [
    '22 digits',
    { text: 'id:1234567890123456789012 stat:DELIVRD' },
    { gatewayMessageId: '1234567890123456789012' },
  ],
  [
    'CSV',
    { text: '00,2605011001,2605011000,,+919800000002,56161,7' },
    { recipient: '919800000002', gatewayCode: '00', reportedAt: new Date(DONE) },
  ],
  ['message_payload', { text: '', tlvs: [{ tag: TAG.messagePayload, value: Buffer.from(TEXT) }] }],
  ['UCS-2', { text: encodeUcs2(TEXT), dataCoding: 8 }],
  ['ASCII marked as UCS-2', { text: TEXT, dataCoding: 8 }],
  ['ASCII marked as binary', { text: TEXT, dataCoding: 4 }],
  ['ASCII in class 1', { text: TEXT, dataCoding: 0xf5 }],
  ['a header', { text: Buffer.concat([Buffer.of(5, 0, 3, 1, 1, 1), Buffer.from(TEXT)]), esmClass: 0x44 }],
  ['esm_class of a header without one', { esmClass: 0x44 }],
  ['TLVs alone', { text: '', tlvs: [id('7\0'), tlv(TAG.messageState, 2)] }, { reportedAt: NOW }],
  ['a TLV id without NUL', { text: '', tlvs: [id('7'), tlv(TAG.messageState, 2)] }, { reportedAt: NOW }],
  [
    'TLVs win',
    {
      text: TEXT.replace('id:7', 'id:8').replace('DELIVRD', 'UNDELIV'),
      tlvs: [id('7'), tlv(TAG.messageState, 2)],
    },
  ],
  ['esm_class 0 with TLVs', { esmClass: 0, tlvs: [id('7'), tlv(TAG.messageState, 2)] }],
  ['esm_class 0 with a TLV id and the text', { esmClass: 0, tlvs: [id('7')] }],
  ['esm_class 4 in store and forward', { esmClass: 7 }],
  [
    'an intermediate notification',
    { esmClass: 0x20, text: 'id:7 stat:ENROUTE' },
    { status: 'SENT', reportedAt: NOW },
  ],
  ['a foreign source', { source: 'SIGNAL' }, { recipient: null }],
  ['a plus', { source: '+919800000001' }],
];

test.each(VARIANTS)('%s', (_, changes, expected = {}) => {
  const { gatewayMessageId, recipient, status, errCode, reportedAt } = read(changes)!;

  const { gatewayCode: _code, ...differing } = expected;
  expect({ gatewayMessageId, recipient, status, errCode, reportedAt }).toEqual({
    gatewayMessageId: '7',
    recipient: '919800000001',
    status: 'DELIVERED',
    errCode: '000',
    reportedAt: expect.any(Date),
    ...differing,
  });
});

test.each([
  ['DELIVRD', 'DELIVERED', '000'],
  ['delivered', 'DELIVERED', '000'],
  ['UNDELIV', 'FAILED', '001'],
  ['UNDELIVERABLE', 'FAILED', '001'],
  ['REJECTD', 'FAILED', '001'],
  ['DELETED', 'FAILED', '001'],
  ['FAILED', 'FAILED', '001'],
  ['NACK', 'FAILED', '001'],
  ['EXPIRED', 'FAILED', '004'],
  ['ACCEPTD', 'SENT', '000'],
  ['ENROUTE', 'SENT', '000'],
  ['BUFFRED', 'SENT', '000'],
  ['BUFFERD', 'SENT', '000'],
  ['ACKED', 'SENT', '000'],
  ['UNKNOWN', null, '001'],
  ['0', null, '001'],
  ['XYZ', null, '001'],
  ['constructor', null, '001'],
])('stat:%s is %s with code %s', (stat, status, errCode) => {
  const report = read({ text: `id:7 stat:${stat} err:006` });

  expect([report?.status, report?.errCode, report?.gatewayCode]).toEqual([status, errCode, '006']);
});

test.each([
  [0, 'SENT'],
  [1, 'SENT'],
  [2, 'DELIVERED'],
  [3, 'FAILED'],
  [4, 'FAILED'],
  [5, 'FAILED'],
  [6, 'SENT'],
  [7, null],
  [8, 'FAILED'],
  [9, 'FAILED'],
  [42, null],
])('message_state %i is %s', (state, status) => {
  expect(read({ text: '', tlvs: [id('7'), tlv(TAG.messageState, state)] })?.status).toBe(status);
});

test.each([
  ['err:6', '001', '6'],
  ['err:0006', '001', '0006'],
  ['err: 6', '001', '6'],
  ['err:0x1B', '099', '0x1B'],
  ['err:000', '099', '000'],
  ['error code:6', '001', '6'],
  ['', '099', null],
])('the code in "%s" is %s, and its raw form is kept', (err, errCode, gatewayCode) => {
  const report = read({ text: `id:7 stat:UNDELIV ${err} text:Hi` });

  expect([report?.errCode, report?.gatewayCode]).toEqual([errCode, gatewayCode]);
});

test('network_error_code replaces err, unless it is 0', () => {
  const text = 'id:7 stat:UNDELIV err:013';

  expect(read({ text, tlvs: [tlv(TAG.networkErrorCode, 3, 0, 9)] })?.errCode).toBe('003');
  expect(read({ text, tlvs: [tlv(TAG.networkErrorCode, 3, 0, 0)] })?.errCode).toBe('002');
  expect(read({ text, tlvs: [tlv(TAG.networkErrorCode, 3)] })?.errCode).toBe('002');
});

test('settings take the recipient from the destination, or from neither address', () => {
  const swapped = { source: '15551234567', destination: '919800000001' };

  const recipients = (['source', 'destination', 'ignore'] as const).map(
    (recipient) => read(swapped, { recipient })?.recipient,
  );

  expect(recipients).toEqual(['15551234567', '919800000001', null]);
  const named = { ...swapped, text: '00,2605011001,2605011000,,+919800000002,56161,7' };
  expect(read(named, { recipient: 'destination' })?.recipient).toBe('919800000002');
  expect(read(named, { recipient: 'ignore' })?.recipient).toBeNull();
});

describe('settings of a gateway', () => {
  test('give a stat its meaning', () => {
    const statuses = { 0: 'DELIVERED', delivrd: 'IGNORED', LATE: 'EXPIRED' } as const;

    expect(
      ['0', 'DELIVRD', 'late'].map((stat) => read({ text: `id:7 stat:${stat}` }, { statuses })?.status),
    ).toEqual(['DELIVERED', null, 'FAILED']);
  });

  test('make an unknown state a failure', () => {
    const report = read({ text: 'id:7 stat:UNKNOWN' }, { unknown: 'failed' });

    expect([report?.status, report?.errCode]).toEqual(['FAILED', '099']);
  });

  test('choose the error table and replace single codes', () => {
    const settings = { errorTable: 'vonage', errCodes: { '06': '011' } } as const;

    expect(
      ['7', '6'].map((err) => read({ text: `id:7 stat:UNDELIV err:${err}` }, settings)?.errCode),
    ).toEqual(['005', '011']);
  });

  test('read dates in the zone of the SMSC', () => {
    const text = 'id:7 done date:2605011001 stat:DELIVRD';

    expect(read({ text }, { timeZone: 'Asia/Kolkata' })?.reportedAt).toEqual(
      new Date('2026-05-01T04:31:59.999Z'),
    );
    expect(read({ text }, { timeZone: 'Europe/Berlin' })?.reportedAt).toEqual(
      new Date('2026-05-01T08:01:59.999Z'),
    );
  });

  test('that are hostile to a pattern are read in linear time', () => {
    const pattern = String.raw`(?<id>(\w+\s?)+)+=end`;
    // takes years where a pattern tries every division of the words
    expect(read({ text: 'a'.repeat(1_000) }, { pattern })?.gatewayMessageId).toBe('');
    expect(read({ text: 'stat=end' }, { pattern })?.gatewayMessageId).toBe('stat');
  });

  test('find fields by a pattern', () => {
    const pattern = String.raw`msg=(?<id>\w+);state=(?<stat>\w+)(;reason=(?<err>\d+))?`;

    const report = read({ text: 'MSG=7;STATE=UNDELIV;REASON=27' }, { pattern });

    expect([report?.gatewayMessageId, report?.status, report?.errCode]).toEqual(['7', 'FAILED', '001']);
    expect(read({}, { pattern })?.gatewayMessageId).toBe('7');
  });

  test('prefer the text over TLVs', () => {
    const tlvs = [id('0x7'), tlv(TAG.messageState, 7)];

    const report = read({ tlvs }, { first: 'text' });

    expect([report?.gatewayMessageId, report?.status]).toEqual(['7', 'DELIVERED']);
  });
});

test.each<[string, Changes]>([
  ['a plain message', { esmClass: 0, text: 'Hi' }],
  ['a forged text', { esmClass: 0 }],
  ['a plain message with an id', { esmClass: 0, text: 'Hi', tlvs: [id('7')] }],
  ['a user acknowledgement', { esmClass: 0x10 }],
])('%s is no receipt', (_, changes) => {
  expect(read(changes)).toBeUndefined();
});

test('no bytes and no TLVs make it throw', () => {
  const tags = Object.values(TAG);
  const anyTlv = fc.record({ tag: fc.constantFrom(...tags), value: fc.uint8Array({ maxLength: 40 }) });
  const piece = fc.constantFrom(
    'id:',
    'stat:',
    'err:',
    'done date:',
    'text:',
    ' ',
    '7',
    '260501',
    ',',
    '\0',
    'é',
  );
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(piece).map((each) => Buffer.from(each.join(''))),
  );
  fc.assert(
    fc.property(
      text,
      fc.array(anyTlv),
      fc.nat(255),
      fc.nat(255),
      fc.string(),
      (bytes, tlvs, esmClass, dataCoding, source) => {
        const report = read({
          text: Buffer.from(bytes),
          tlvs: tlvs.map(({ tag, value }) => ({ tag, value: Buffer.from(value) })),
          esmClass,
          dataCoding,
          source,
        });

        if (report) expect(Number.isNaN(report.reportedAt.getTime())).toBe(false);
      },
    ),
    { numRuns: 2_000 },
  );
});
