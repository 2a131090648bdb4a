import type { InboundSegment } from '../../inbound-segments.ts';
import { toInternational } from '../../national-numbers.ts';
import { type ShortMessage, TAG, findTlv } from '../pdu.ts';
import type { EncodingSettings } from './encoding-settings.ts';
import { decodeGsm } from './gsm-alphabet.ts';
import { tablesOf } from './national-tables.ts';
import { decodeUcs2 } from './ucs2.ts';
import { type UserDataHeader, readHeader } from './user-data-header.ts';

const MESSAGE_TYPE = 0x3c;
const UDH_INDICATOR = 0x40;

/**
 * Reads a message of a subscriber, or one segment of it. Never throws.
 *
 * @param now the time of a message that names none, as none of SMPP 3.4 does
 * @returns undefined for a message that is no text: binary data, or a type other than a plain message
 */
export function readInbound(
  pdu: ShortMessage,
  settings: EncodingSettings,
  now: Date = new Date(),
): InboundSegment | undefined {
  if ((pdu.esmClass & MESSAGE_TYPE) !== 0) return undefined;
  const octets = pdu.shortMessage.length > 0 ? pdu.shortMessage : (findTlv(pdu, TAG.messagePayload) ?? EMPTY);
  const { header, body } = splitHeader(octets, pdu.esmClass);
  const text = decode(body, pdu.dataCoding, header, settings);
  if (text === undefined) return undefined;
  const { reference, referenceBits, total, position } = header.concatenation ?? readSar(pdu) ?? ALONE;
  return {
    gatewayMessageId: idOf(pdu),
    from: toInternational(pdu.source, settings.national),
    to: toInternational(pdu.destination, settings.national),
    text,
    reference,
    referenceBits,
    position,
    total,
    sentAt: now,
  };
}

const EMPTY = Buffer.alloc(0);
const ALONE = { reference: 0, referenceBits: 8, total: 1, position: 1 } as const;
const NO_HEADER: UserDataHeader = {};

function splitHeader(octets: Buffer, esmClass: number): { header: UserDataHeader; body: Buffer } {
  const end = (octets[0] ?? 0) + 1;
  if ((esmClass & UDH_INDICATOR) === 0 || end > octets.length) return { header: NO_HEADER, body: octets };
  return { header: readHeader(octets.subarray(1, end)), body: octets.subarray(end) };
}

/** References of the TLVs have 16 bits. */
function readSar(pdu: ShortMessage): UserDataHeader['concatenation'] {
  const reference = findTlv(pdu, TAG.sarReference);
  const total = findTlv(pdu, TAG.sarTotal)?.at(-1) ?? 0;
  const position = findTlv(pdu, TAG.sarSequence)?.at(-1) ?? 0;
  if (!reference?.length || total < 2 || position < 1 || position > total) return undefined;
  return {
    reference: reference.readUIntBE(0, Math.min(reference.length, 2)),
    referenceBits: 16,
    total,
    position,
  };
}

type Alphabet = 'gsm' | 'latin1' | 'ucs2' | 'binary';

function decode(
  body: Buffer,
  dataCoding: number,
  header: UserDataHeader,
  settings: EncodingSettings,
): string | undefined {
  switch (alphabetOf(dataCoding, settings)) {
    case 'ucs2':
      return decodeUcs2(body);
    case 'latin1':
      return body.toString('latin1');
    case 'gsm':
      return decodeGsm(body, tablesOf(header.lockingShift, header.singleShift));
    case 'binary':
      return header.hasPorts !== true && isPrintable(body) ? body.toString('latin1') : undefined;
  }
}

/** Reads `data_coding` (SMPP 3.4, section 5.2.19) and the groups of GSM 03.38. */
function alphabetOf(dataCoding: number, { defaultAlphabet, gsmCoding }: EncodingSettings): Alphabet {
  const ofDefault = defaultAlphabet === 'gsm' ? 'gsm' : 'latin1';
  if (dataCoding === 0 || dataCoding === gsmCoding) return ofDefault;
  if (dataCoding === 1 || dataCoding === 3) return 'latin1';
  if (dataCoding === 8) return 'ucs2';
  if (dataCoding >= 0xf0) return (dataCoding & 4) === 0 ? 'gsm' : 'binary';
  if (dataCoding >= 0xe0) return 'ucs2';
  if (dataCoding >= 0xc0) return 'gsm';
  if (dataCoding >= 0x10 && dataCoding < 0x80)
    return (['gsm', 'binary', 'ucs2', 'gsm'] as const)[(dataCoding >> 2) & 3]!;
  return dataCoding === 2 || dataCoding === 4 ? 'binary' : ofDefault;
}

/** Some SMSCs mark text as binary. */
function isPrintable(body: Buffer): boolean {
  return (
    body.length > 0 &&
    body.every((octet) => (octet >= 0x20 && octet < 0x7f) || octet === 0x0a || octet === 0x0d)
  );
}

/** The SMSC's id, where it names one; empty otherwise. */
function idOf(pdu: ShortMessage): string {
  return findTlv(pdu, TAG.receiptedMessageId)?.toString('latin1').replace(/\0.*$/s, '').trim() ?? '';
}
