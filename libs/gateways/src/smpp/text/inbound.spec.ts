import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ShortMessage, TAG, type Tlv, emptyMessage } from '../pdu.ts';
import { EncodingSettings } from './encoding-settings.ts';
import { encodeGsm } from './gsm-alphabet.ts';
import { readInbound } from './inbound.ts';
import { encodeUcs2 } from './ucs2.ts';

const NOW = new Date('2026-05-01T12:00:00Z');

function message(changes: Partial<ShortMessage> = {}): ShortMessage {
  return {
    ...emptyMessage(),
    sourceTon: 1,
    sourceNpi: 1,
    source: '+919800000001',
    destinationTon: 3,
    destination: '56161',
    shortMessage: encodeGsm('STOP'),
    ...changes,
  };
}

function read(changes: Partial<ShortMessage>, settings: Partial<EncodingSettings> = {}) {
  return readInbound(message(changes), Object.assign(new EncodingSettings(), settings), NOW);
}

function withHeader(header: string, body: Buffer): Partial<ShortMessage> {
  return { esmClass: 0x40, shortMessage: Buffer.concat([Buffer.from(header, 'hex'), body]) };
}

const tlv = (tag: number, ...value: number[]): Tlv => ({ tag, value: Buffer.from(value) });

test('a message alone', () => {
  expect(read({})).toEqual({
    gatewayMessageId: '',
    from: '919800000001',
    to: '56161',
    text: 'STOP',
    reference: 0,
    referenceBits: 8,
    position: 1,
    total: 1,
    sentAt: NOW,
  });
});

test.each<[string, Partial<ShortMessage>, string | undefined, Partial<EncodingSettings>?]>([
  ['the default alphabet', { shortMessage: encodeGsm('{é@€}') }, '{é@€}'],
  ['a Latin-1 default', { shortMessage: Buffer.from('é@', 'latin1') }, 'é@', { defaultAlphabet: 'latin1' }],
  ['code 1 as ASCII', { shortMessage: Buffer.from('a@$'), dataCoding: 1 }, 'a@$'],
  ['code 1 as GSM', { shortMessage: encodeGsm('@$'), dataCoding: 1 }, '@$', { gsmCoding: 1 }],
  ['Latin-1', { shortMessage: Buffer.from('é', 'latin1'), dataCoding: 3 }, 'é'],
  ['UCS-2', { shortMessage: encodeUcs2('नमस्ते 😀'), dataCoding: 8 }, 'नमस्ते 😀'],
  ['flash UCS-2', { shortMessage: encodeUcs2('я'), dataCoding: 0x18 }, 'я'],
  ['flash GSM', { shortMessage: encodeGsm('€'), dataCoding: 0x10 }, '€'],
  ['UCS-2 to be deleted by itself', { shortMessage: encodeUcs2('я'), dataCoding: 0x48 }, 'я'],
  ['class 1 GSM', { shortMessage: encodeGsm('€'), dataCoding: 0xf1 }, '€'],
  ['text marked as binary', { shortMessage: Buffer.from('Hi'), dataCoding: 4 }, 'Hi'],
  ['binary', { shortMessage: Buffer.of(1, 2), dataCoding: 4 }, undefined],
  ['class 1 binary', { shortMessage: Buffer.of(1, 2), dataCoding: 0xf5 }, undefined],
  [
    'message_payload',
    { shortMessage: Buffer.alloc(0), tlvs: [{ tag: TAG.messagePayload, value: encodeGsm('long') }] },
    'long',
  ],
  ['nothing', { shortMessage: Buffer.alloc(0) }, ''],
  ['a receipt', { esmClass: 4 }, undefined],
])('%s', (_, changes, ...[text, settings]) => {
  expect(read(changes, settings)?.text).toBe(text);
});

test.each([
  ['+919800000001', '919800000001'],
  ['00919800000001', '919800000001'],
  ['919800000001', '919800000001'],
  ['0098', '0098'],
  ['ACME', 'ACME'],
])('the writer %s is %s', (source, from) => {
  expect(read({ source })?.from).toBe(from);
});

test.each([
  ['9800000001', '919800000001'],
  ['+9800000001', '9800000001'],
  ['919800000001', '919800000001'],
  ['56161', '56161'],
  ['ACMESERVIC', 'ACMESERVIC'],
])('with national numbers of ten digits %s is %s, as writer and as receiver', (address, expected) => {
  const national = { countryCode: '91', digits: 10 };
  expect(read({ source: address, destination: address }, { national })).toMatchObject({
    from: expected,
    to: expected,
  });
});

test("the SMSC's id names the message", () => {
  expect(
    read({ tlvs: [{ tag: TAG.receiptedMessageId, value: Buffer.from('77a\0') }] })?.gatewayMessageId,
  ).toBe('77a');
});

describe('a segment', () => {
  const body = encodeGsm('part');

  test.each<[string, Partial<ShortMessage>, unknown[]]>([
    ['an 8-bit reference', withHeader('050003a70302', body), [0xa7, 8, 3, 2]],
    ['a 16-bit reference', withHeader('060804a7010302', body), [0xa701, 16, 3, 2]],
    ['an element before it', withHeader('080101aa0003a70302', body), [0xa7, 8, 3, 2]],
    ['an element after it', withHeader('080003a703020101aa', body), [0xa7, 8, 3, 2]],
    [
      'sar',
      {
        shortMessage: body,
        tlvs: [tlv(TAG.sarReference, 0xa7, 1), tlv(TAG.sarTotal, 3), tlv(TAG.sarSequence, 2)],
      },
      [0xa701, 16, 3, 2],
    ],
    ['a total of 1', withHeader('050003a70101', body), [0, 8, 1, 1]],
    ['position 0', withHeader('050003a70300', body), [0, 8, 1, 1]],
    ['a position beyond the total', withHeader('050003a70304', body), [0, 8, 1, 1]],
    ['an element that is cut off', withHeader('030003a7', body), [0, 8, 1, 1]],
  ])('%s', (_, changes, expected) => {
    const segment = read(changes)!;

    expect([segment.reference, segment.referenceBits, segment.total, segment.position]).toEqual(expected);
    expect(segment.text).toBe('part');
  });

  test('keeps half a surrogate pair and half an escape for the join', () => {
    const halves = ['050003a70201d83d', '050003a70202de00'].map((hex) =>
      read({ esmClass: 0x40, dataCoding: 8, shortMessage: Buffer.from(hex, 'hex') }),
    );

    expect(halves.map((half) => half?.text).join('')).toBe('😀');
    expect(read(withHeader('050003a70201', Buffer.of(0x41, 0x1b)))?.text).toBe('A\u001b');
  });
});

test.each([
  ['Turkish after an escape', '03240101', '1b73', 'ş'],
  ['Spanish after an escape', '03240102', '1b61', 'á'],
  ['Portuguese after an escape', '03240103', '1b7b', 'ã'],
  ['a Turkish alphabet', '03250101', '6040', 'çİ'],
  ['a Portuguese alphabet', '03250103', '7c18', 'õ€'],
  ['an unknown alphabet', '03250106', '41', '\ufffd'],
])('%s', (_, header, body, text) => {
  expect(read(withHeader(header, Buffer.from(body, 'hex')))?.text).toBe(text);
});

test('a message for a port is no text', () => {
  expect(read({ ...withHeader('0605040b8423f0', encodeGsm('Hi')), dataCoding: 4 })).toBeUndefined();
});

test('no bytes and no TLVs make it throw', () => {
  const anyTlv = fc.record({
    tag: fc.constantFrom(...Object.values(TAG)),
    value: fc.uint8Array({ maxLength: 9 }),
  });
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(anyTlv),
      fc.nat(255),
      fc.boolean(),
      (bytes, tlvs, dataCoding, hasHeader) => {
        const segment = read({
          shortMessage: Buffer.from(bytes),
          esmClass: hasHeader ? 0x40 : 0,
          dataCoding,
          tlvs: tlvs.map(({ tag, value }) => ({ tag, value: Buffer.from(value) })),
        });

        if (segment) expect(segment.position).toBeLessThanOrEqual(segment.total);
      },
    ),
    { numRuns: 2_000 },
  );
});
