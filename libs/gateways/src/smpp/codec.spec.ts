import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Framing, FramingError, MAX_PDU } from './framing.ts';
import { COMMANDS, type Pdu, type ShortMessage, TAG, findTlv } from './pdu.ts';
import { readPdu } from './pdu-reader.ts';
import { UnwritableError, writePdu } from './pdu-writer.ts';

const octet = fc.integer({ min: 0, max: 255 });
const text = (maxLength: number) =>
  fc
    .array(fc.integer({ min: 1, max: 255 }), { maxLength })
    .map((codes) => Buffer.from(codes).toString('latin1'));
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const tlvs = fc.array(fc.record({ tag: fc.integer({ min: 0, max: 0xffff }), value: bytes(300) }), {
  maxLength: 4,
});
const header = { sequence: fc.integer({ min: 0, max: 0x7fffffff }), status: fc.nat(0xffff) };

const route = {
  serviceType: text(5),
  sourceTon: octet,
  sourceNpi: octet,
  source: text(20),
  destinationTon: octet,
  destinationNpi: octet,
  destination: text(20),
};
const message: fc.Arbitrary<ShortMessage> = fc.record({
  ...route,
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime: text(16),
  validityPeriod: text(16),
  registeredDelivery: octet,
  replaceIfPresent: octet,
  dataCoding: octet,
  shortMessage: bytes(254),
  tlvs,
});
const data: fc.Arbitrary<ShortMessage> = fc.record({
  ...route,
  esmClass: octet,
  protocolId: fc.constant(0),
  priorityFlag: fc.constant(0),
  scheduleDeliveryTime: fc.constant(''),
  validityPeriod: fc.constant(''),
  registeredDelivery: octet,
  replaceIfPresent: fc.constant(0),
  dataCoding: octet,
  shortMessage: fc.constant(Buffer.alloc(0)),
  tlvs,
});
const bind = {
  systemId: text(15),
  password: text(64),
  systemType: text(12),
  interfaceVersion: octet,
  addressTon: octet,
  addressNpi: octet,
  addressRange: text(40),
};

const pdu: fc.Arbitrary<Pdu> = fc.oneof(
  fc.record({
    ...header,
    command: fc.constantFrom('bind_transceiver', 'bind_transmitter', 'bind_receiver'),
    ...bind,
  }),
  fc.record({
    ...header,
    command: fc.constantFrom('bind_transceiver_resp', 'bind_transmitter_resp', 'bind_receiver_resp'),
    systemId: text(15),
    tlvs,
  }),
  fc.record({ ...header, command: fc.constantFrom('submit_sm', 'deliver_sm'), message }),
  fc.record({ ...header, command: fc.constant('data_sm'), message: data }),
  fc.record({
    ...header,
    command: fc.constantFrom('submit_sm_resp', 'deliver_sm_resp', 'data_sm_resp'),
    messageId: text(64),
    tlvs,
  }),
  fc.record({
    ...header,
    command: fc.constant('query_sm'),
    messageId: text(64),
    sourceTon: octet,
    sourceNpi: octet,
    source: text(20),
  }),
  fc.record({
    ...header,
    command: fc.constant('query_sm_resp'),
    messageId: text(64),
    finalDate: text(16),
    state: octet,
    errorCode: octet,
  }),
  fc.record({
    ...header,
    command: fc.constantFrom('unbind', 'unbind_resp', 'enquire_link', 'enquire_link_resp', 'generic_nack'),
  }),
) as fc.Arbitrary<Pdu>;

describe('any PDU', () => {
  test('every PDU that is written reads as it was', () => {
    fc.assert(fc.property(pdu, (written) => expect(readPdu(writePdu(written))).toEqual(written)));
  });

  test('a PDU of random bytes is read without an exception', () => {
    const ids = fc.constantFrom(...Object.values(COMMANDS));
    fc.assert(
      fc.property(ids, bytes(400), (id, body) => {
        const head = Buffer.alloc(16);
        head.writeUInt32BE(16 + body.length, 0);
        head.writeUInt32BE(id, 4);
        expect(readPdu(Buffer.concat([head, body])).sequence).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a PDU cut at any octet is read without an exception', () => {
    fc.assert(
      fc.property(pdu, fc.nat(1_000), (written, keep) => {
        const whole = writePdu(written);
        const cut = whole.subarray(0, Math.max(16, keep % whole.length));
        expect(readPdu(cut).sequence).toBe(written.sequence);
      }),
    );
  });
});

describe('the reader', () => {
  test('a response without a body has an empty id', () => {
    expect(readPdu(header16(COMMANDS.submit_sm_resp, 0x58, 7))).toEqual({
      command: 'submit_sm_resp',
      sequence: 7,
      status: 0x58,
      messageId: '',
      tlvs: [],
    });
  });

  test('a TLV string without NUL does not swallow the next TLV', () => {
    const values = [
      { tag: TAG.receiptedMessageId, value: Buffer.from('ABC123') },
      { tag: TAG.messageState, value: Buffer.of(2) },
    ];
    const read = readPdu(
      writePdu({ command: 'deliver_sm', sequence: 1, status: 0, message: { ...HELLO, tlvs: values } }),
    );
    expect(read).toMatchObject({ message: { tlvs: values } });
    expect(findTlv({ tlvs: values }, TAG.messageState)).toEqual(Buffer.of(2));
    expect(findTlv({ tlvs: values }, TAG.messagePayload)).toBeUndefined();
  });

  test('a text that passes the end of its PDU makes it malformed and keeps its sequence number', () => {
    const written = writePdu({ command: 'deliver_sm', sequence: 9, status: 0, message: HELLO });
    written[written.length - 6] = 200; // sm_length of a text of 5
    expect(readPdu(written)).toMatchObject({
      command: 'malformed',
      sequence: 9,
      of: 'deliver_sm',
    });
  });

  test('an unknown command keeps its id', () => {
    expect(readPdu(header16(0x0b, 0, 3))).toEqual({
      command: 'unknown',
      commandId: 0x0b,
      sequence: 3,
      status: 0,
    });
  });
});

describe('the writer', () => {
  test.each<[string, Partial<ShortMessage>]>([
    ['source has 21 characters', { source: 'x'.repeat(21) }],
    ['a NUL in an address', { destination: '91\x0098' }],
    ['a character outside Latin-1', { source: 'Ω' }],
    ['255 octets of text', { shortMessage: Buffer.alloc(255) }],
    ['an octet of 256', { esmClass: 256 }],
    ['an octet that is no number', { dataCoding: Number.NaN }],
    ['a TLV of 65,536 octets', { tlvs: [{ tag: 1, value: Buffer.alloc(65_536) }] }],
  ])('%s is refused', (_what, fields) => {
    const submit: Pdu = { command: 'submit_sm', sequence: 1, status: 0, message: { ...HELLO, ...fields } };
    expect(() => writePdu(submit)).toThrow(UnwritableError);
  });
});

describe('the framing', () => {
  test('PDUs are the same however the stream is cut into chunks', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(pdu, { maxLength: 8 }), cuts, (written, sizes) => {
        expect(framed(Buffer.concat(written.map(writePdu)), sizes).map((one) => readPdu(one))).toEqual(
          written,
        );
      }),
    );
  });

  test('random bytes give PDUs or a FramingError, whatever the chunks', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(bytes(5_000), cuts, (stream, sizes) => {
        try {
          framed(stream, sizes).forEach((one) => readPdu(one));
        } catch (error) {
          expect(error).toBeInstanceOf(FramingError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([0, 15, MAX_PDU + 1, 0x48545450])('a length of %d ends the stream', (length) => {
    const start = Buffer.alloc(16);
    start.writeUInt32BE(length, 0);
    expect(() => framed(start, [16])).toThrow(FramingError);
  });

  test('the largest PDU arrives octet by octet', () => {
    const large = Buffer.alloc(MAX_PDU);
    large.writeUInt32BE(MAX_PDU, 0);
    expect(framed(large, [1])).toEqual([large]);
  });

  test('PDUs before a broken one are received', () => {
    const received: Buffer[] = [];
    const stream = Buffer.concat([header16(COMMANDS.enquire_link, 0, 1), Buffer.alloc(16)]);
    expect(() =>
      new Framing().push(stream, (buffer, start, end) => received.push(buffer.subarray(start, end))),
    ).toThrow(FramingError);
    expect(received.map((one) => readPdu(one))).toEqual([
      { command: 'enquire_link', sequence: 1, status: 0 },
    ]);
  });
});

const HELLO: ShortMessage = {
  serviceType: '',
  sourceTon: 5,
  sourceNpi: 0,
  source: 'SIGNAL',
  destinationTon: 1,
  destinationNpi: 1,
  destination: '919800000001',
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 0,
  shortMessage: Buffer.from('hello'),
  tlvs: [],
};

function header16(commandId: number, status: number, sequence: number): Buffer {
  const head = Buffer.alloc(16);
  [16, commandId, status, sequence].forEach((value, i) => head.writeUInt32BE(value, 4 * i));
  return head;
}

/** Cuts a stream into chunks of the given sizes, in turn, and collects the PDUs. */
function framed(stream: Buffer, sizes: number[]): Buffer[] {
  const framing = new Framing();
  const pdus: Buffer[] = [];
  for (let at = 0, i = 0; at < stream.length; i += 1) {
    const size = sizes[i % sizes.length]!;
    framing.push(stream.subarray(at, at + size), (buffer, start, end) =>
      pdus.push(buffer.subarray(start, end)),
    );
    at += size;
  }
  return pdus;
}
