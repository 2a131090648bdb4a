import { describe, expect, test } from '@jest/globals';
import { countParts } from '@signalbox/domain/sms/parts';
import fc from 'fast-check';
import { segmentedSms as sms } from '../../../test/sms.ts';
import { findTlv, type ShortMessage, TAG } from '../pdu.ts';
import { EncodingSettings } from './encoding-settings.ts';
import { DEFAULT_ALPHABET, decodeGsm, EXTENSION } from './gsm-alphabet.ts';
import type { SegmentedSms } from './segmented-sms.ts';
import { segmentsOf, TooLongError } from './segments.ts';

const NOW = new Date('2026-05-01T10:00:00Z');

function sized(text: string, forceUcs2 = false): SegmentedSms {
  return sms({ text, encoding: countParts(text, forceUcs2).encoding });
}

function settings(changes: Partial<EncodingSettings> = {}): EncodingSettings {
  return Object.assign(new EncodingSettings(), changes);
}

function only(segments: ShortMessage[]): ShortMessage {
  expect(segments).toHaveLength(1);
  return segments[0]!;
}

/** Octets of a segment without its header. */
function bodyOf({ esmClass, shortMessage }: ShortMessage): Buffer {
  return esmClass & 0x40 ? shortMessage.subarray(shortMessage[0]! + 1) : shortMessage;
}

function textOf(segment: ShortMessage): string {
  const body = bodyOf(segment);
  return segment.dataCoding === 8
    ? new TextDecoder('utf-16be', { fatal: true }).decode(body)
    : decodeGsm(body);
}

const gsmText = fc.string({
  unit: fc.constantFrom(...DEFAULT_ALPHABET.replace('\u001b', ''), ...EXTENSION.values()),
  maxLength: 900,
});
const anyText = fc.oneof(
  gsmText,
  fc.string({ unit: 'binary', maxLength: 500 }).map((text) => text.toWellFormed()),
  fc.string({ unit: fc.constantFrom('a', '€', '😀'), maxLength: 500 }),
);

describe('as many segments as credits, which carry the whole text', () => {
  test.each(['udh8', 'udh16', 'sar'] as const)('%s', (longMessages) => {
    fc.assert(
      fc.property(anyText, fc.boolean(), fc.nat(0xffff), (text, forceUcs2, reference) => {
        const segments = segmentsOf(sized(text, forceUcs2), settings({ longMessages }), reference);

        expect(segments).toHaveLength(countParts(text, forceUcs2).parts);
        // each decodes alone: no surrogate pair and no escape is split
        expect(segments.map(textOf).join('')).toBe(text);
        for (const segment of segments) {
          const isUcs2 = segment.dataCoding === 8;
          const header = segment.esmClass & 0x40 ? segment.shortMessage[0]! + 1 : 0;
          const air = isUcs2 ? segment.shortMessage.length * 8 : header * 8 + bodyOf(segment).length * 7;
          expect(air).toBeLessThanOrEqual(140 * 8);
          expect(isUcs2 ? 0 : bodyOf(segment).at(-1)).not.toBe(0x1b);
        }
      }),
    );
  });

  test('latin1, while all characters are Latin-1', () => {
    const latin1 = fc.string({ unit: fc.constantFrom(...'aZ9@ é{}[]~^|\\'), maxLength: 500 });
    fc.assert(
      fc.property(latin1, (text) => {
        const segments = segmentsOf(sized(text), settings({ defaultAlphabet: 'latin1' }), 1);

        expect(segments).toHaveLength(countParts(text, false).parts);
        expect(segments.map((each) => bodyOf(each).toString('latin1')).join('')).toBe(text);
      }),
    );
  });
});

test('every header has the reference, the total and its position', () => {
  const text = 'a'.repeat(307);

  const udh8 = segmentsOf(sms({ text }), settings(), 0x1234);
  const udh16 = segmentsOf(sms({ text }), settings({ longMessages: 'udh16' }), 0x1234);
  const sar = segmentsOf(sms({ text }), settings({ longMessages: 'sar' }), 0x1234);

  expect(udh8.map(({ shortMessage }) => shortMessage.toString('hex', 0, 6))).toEqual([
    '050003340301',
    '050003340302',
    '050003340303',
  ]);
  expect(udh16.map(({ shortMessage }) => shortMessage.toString('hex', 0, 7))).toEqual([
    '06080412340301',
    '06080412340302',
    '06080412340303',
  ]);
  expect(udh8.map(({ esmClass }) => esmClass)).toEqual([0x40, 0x40, 0x40]);
  expect(sar.map(({ esmClass }) => esmClass)).toEqual([0, 0, 0]);
  const tags = [TAG.sarReference, TAG.sarTotal, TAG.sarSequence];
  expect(sar.map((each) => tags.map((tag) => findTlv(each, tag)?.toString('hex')).join())).toEqual([
    '1234,03,01',
    '1234,03,02',
    '1234,03,03',
  ]);
});

test('a 16-bit reference that costs a segment gives way to one of 8 bits', () => {
  const segments = segmentsOf(sms({ text: 'a'.repeat(306) }), settings({ longMessages: 'udh16' }), 1);

  expect(segments.map(({ shortMessage }) => shortMessage[1])).toEqual([0, 0]);
});

test('payload carries the whole text in one message', () => {
  const text = '€'.repeat(200);
  const segment = only(segmentsOf(sms({ text }), settings({ longMessages: 'payload' }), 1));

  expect(segment.shortMessage).toHaveLength(0);
  expect(decodeGsm(findTlv(segment, TAG.messagePayload)!)).toBe(text);
});

test('a text of more than 255 segments is refused', () => {
  expect(() => segmentsOf(sms({ text: 'a'.repeat(153 * 255 + 1) }), settings(), 1)).toThrow(TooLongError);
});

test.each([
  [{}, {}, 0, '48656c6c6f'],
  [{ gsmCoding: 1 }, {}, 1, '48656c6c6f'],
  [{}, { text: '@€', messageClass: 0 }, 0x10, '001b65'],
  [{ flash: 'f0' }, { text: 'é', messageClass: 0 }, 0xf0, '05'],
  [{ defaultAlphabet: 'latin1' }, { text: 'é@[' }, 0, 'e9405b'],
  [{ defaultAlphabet: 'latin1' }, { text: '€' }, 8, '20ac'],
  [{ defaultAlphabet: 'ascii' }, { text: 'a@' }, 0, '6140'],
  [{ defaultAlphabet: 'ascii' }, { text: 'é' }, 8, '00e9'],
  [{}, { text: 'a', encoding: 'UCS-2' }, 8, '0061'],
  [{}, { text: '😀', encoding: 'UCS-2', messageClass: 0 }, 0x18, 'd83dde00'],
  // an encoding that does not fit the text loses no character
  [{}, { text: 'я', encoding: 'GSM-7' }, 8, '044f'],
] as [Partial<EncodingSettings>, Partial<SegmentedSms>, number, string][])(
  '%j encodes %j with data_coding %i',
  (changes, message, dataCoding, hex) => {
    const segment = only(segmentsOf(sms(message), settings(changes), 1));

    expect([segment.dataCoding, segment.shortMessage.toString('hex')]).toEqual([dataCoding, hex]);
  },
);

test('flash by subunit leaves data_coding as it is', () => {
  const segment = only(segmentsOf(sms({ messageClass: 0 }), settings({ flash: 'subunit' }), 1));

  expect([segment.dataCoding, findTlv(segment, TAG.destAddrSubunit)]).toEqual([0, Buffer.of(1)]);
});

test.each([
  ['SIGNAL', 5, 0],
  ['919800000001', 1, 1],
  ['56161', 3, 0],
])('the sender %s has TON %i and NPI %i', (sender, ton, npi) => {
  const segment = only(segmentsOf(sms({ sender }), settings({ destinationPrefix: '+' }), 1));

  expect([segment.source, segment.sourceTon, segment.sourceNpi]).toEqual([sender, ton, npi]);
  expect([segment.destination, segment.destinationTon, segment.destinationNpi]).toEqual([
    '+919800000001',
    1,
    1,
  ]);
});

test.each([
  [new Date('2026-05-02T11:02:03.900Z'), 'absolute', '260502110203000+'],
  [new Date('2026-05-02T11:02:03.900Z'), 'relative', '000001010203000R'],
  [new Date('2026-04-01T00:00:00Z'), 'absolute', '260501100001000+'],
  [new Date('2026-04-01T00:00:00Z'), 'relative', '000000000001000R'],
  [new Date('2027-05-01T00:00:00Z'), 'relative', '000099000000000R'],
  [null, 'absolute', ''],
  [new Date('2026-05-02T11:02:03.900Z'), 'none', ''],
] as [Date | null, EncodingSettings['validity'], string][])(
  'an end at %s is the %s validity period "%s"',
  (expiresAt, validity, expected) => {
    const segment = only(segmentsOf(sms({ expiresAt }), settings({ validity }), 1, NOW));

    expect(segment.validityPeriod).toBe(expected);
  },
);

test('every segment asks for a receipt and carries the DLT ids', () => {
  const dlt = { entityId: '1101234567890123456', templateId: '1107654321098765432' };
  const segments = segmentsOf(sms({ text: 'a'.repeat(200), dlt }), settings(), 1);

  expect(segments.map(({ registeredDelivery }) => registeredDelivery)).toEqual([1, 1]);
  expect(segments.map((each) => [0x1400, 0x1401].map((tag) => String(findTlv(each, tag))))).toEqual(
    Array.from({ length: 2 }, () => ['1101234567890123456\0', '1107654321098765432\0']),
  );
});

test('the TLVs of the settings are added, and replace a DLT id of the same tag', () => {
  const tlvs = [
    { tag: 0x1400, type: 'octets', size: 1, from: 'dlt.entityId' },
    { tag: 0x1600, type: 'int', size: 2, value: '258' },
    { tag: 0x1601, type: 'cstring', size: 1, value: 'A' },
    { tag: 0x1602, type: 'cstring', size: 1, from: 'dlt.templateId' },
  ] as const;
  const dlt = { entityId: '11', templateId: null };
  const segment = only(segmentsOf(sms({ dlt }), settings({ tlvs: [...tlvs] }), 1));

  expect(segment.tlvs.map(({ tag, value }) => [tag, value.toString('hex')])).toEqual([
    [0x1400, '3131'],
    [0x1600, '0102'],
    [0x1601, '4100'],
  ]);
});

test('"dltTlvs: none" sends no DLT ids', () => {
  const dlt = { entityId: '11', templateId: '22' };

  expect(only(segmentsOf(sms({ dlt }), settings({ dltTlvs: 'none' }), 1)).tlvs).toEqual([]);
});
