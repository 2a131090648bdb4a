import { type ShortMessage, TAG, type Tlv } from '../pdu.ts';
import type { EncodingSettings } from './encoding-settings.ts';
import { encodeGsm, septetsOf } from './gsm-alphabet.ts';
import { keepLatest } from './keep-latest.ts';
import { optionalParameters } from './optional-parameters.ts';
import type { SegmentedSms } from './segmented-sms.ts';
import { splitGsm, splitUcs2 } from './split-text.ts';
import { encodeUcs2 } from './ucs2.ts';
import { validityPeriod } from './validity-period.ts';

const UDH_INDICATOR = 0x40;
const MAX_SEGMENTS = 255;

/** Thrown for a text that takes more than 255 segments; the message cannot be sent by SMPP. */
export class TooLongError extends Error {
  override name = 'TooLongError';
}

interface Alphabet {
  /** The bits of `data_coding` that name it: 0, 1 or 8. */
  coding: number;
  split: (text: string, referenceBits: 8 | 16) => string[];
  encode: (text: string) => Buffer;
}

const UCS2: Alphabet = { coding: 8, split: splitUcs2, encode: encodeUcs2 };

/**
 * Makes the submit_sm of an SMS: as many as the credits counted at acceptance, and one if the SMSC splits
 * (`payload`). A 16-bit reference that would take more segments gives way to one of 8 bits. A text with characters
 * that the SMSC's default alphabet lacks is sent as UCS-2, in the segments that this takes.
 *
 * @param reference joins the segments; its low 8 bits where a form has only those
 * @throws TooLongError
 */
export function segmentsOf(
  sms: SegmentedSms,
  settings: EncodingSettings,
  reference: number,
  now: Date = new Date(),
): ShortMessage[] {
  const { alphabet, referenceBits, bodies } = encode(sms.text, sms.encoding, settings);
  const base = baseOf(sms, settings, alphabet, now);
  const [only] = bodies;
  if (bodies.length === 1) {
    base.shortMessage = only!;
    return [base];
  }
  if (settings.longMessages === 'payload')
    return [withTlvs(base, [{ tag: TAG.messagePayload, value: alphabet.encode(sms.text) }])];
  if (settings.longMessages === 'sar')
    return bodies.map((body, i) =>
      withTlvs({ ...base, shortMessage: body }, sarTlvs(reference, bodies.length, i + 1)),
    );
  return bodies.map((body, i) => ({
    ...base,
    esmClass: base.esmClass | UDH_INDICATOR,
    shortMessage: Buffer.concat([header(referenceBits, reference, bodies.length, i + 1), body]),
  }));
}

/** A text as its segments carry it. */
interface EncodedText {
  alphabet: Alphabet;
  referenceBits: 8 | 16;
  bodies: readonly Buffer[];
}

/** Splits and encodes a text. All messages of a send without values have one text. */
const encode = keepLatest(
  (text: string, encoding: SegmentedSms['encoding'], settings: EncodingSettings): EncodedText => {
    const alphabet = alphabetOf(text, encoding, settings);
    const { texts, referenceBits } = split(text, settings, alphabet);
    if (texts.length > MAX_SEGMENTS)
      throw new TooLongError(
        `the text takes ${texts.length} segments; at most ${MAX_SEGMENTS} can be joined`,
      );
    return { alphabet, referenceBits, bodies: texts.map(alphabet.encode) };
  },
);

function alphabetOf(text: string, encoding: SegmentedSms['encoding'], settings: EncodingSettings): Alphabet {
  if (encoding === 'UCS-2' || !isGsm(text)) return UCS2;
  const coding = settings.gsmCoding;
  if (settings.defaultAlphabet === 'gsm') return { coding, split: splitGsm, encode: encodeGsm };
  const highest = settings.defaultAlphabet === 'latin1' ? 0xff : 0x7f;
  if (!isWithin(text, highest)) return UCS2;
  return { coding, split: splitGsm, encode: (part) => Buffer.from(part, 'latin1') };
}

function isGsm(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (septetsOf(text.charCodeAt(i)) === 0) return false;
  return true;
}

function isWithin(text: string, highest: number): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > highest) return false;
  return true;
}

function split(
  text: string,
  { longMessages }: EncodingSettings,
  alphabet: Alphabet,
): { texts: string[]; referenceBits: 8 | 16 } {
  const texts = alphabet.split(text, 8);
  if (longMessages !== 'udh16') return { texts, referenceBits: 8 };
  const shorter = alphabet.split(text, 16);
  return shorter.length === texts.length
    ? { texts: shorter, referenceBits: 16 }
    : { texts, referenceBits: 8 };
}

function baseOf(
  sms: SegmentedSms,
  settings: EncodingSettings,
  { coding }: Alphabet,
  now: Date,
): ShortMessage {
  const source = sourceOf(sms.sender, settings);
  const isFlash = sms.messageClass === 0;
  const subunit: Tlv[] =
    isFlash && settings.flash === 'subunit' ? [{ tag: TAG.destAddrSubunit, value: Buffer.of(1) }] : [];
  return {
    serviceType: settings.serviceType,
    sourceTon: source.ton,
    sourceNpi: source.npi,
    source: sms.sender,
    destinationTon: settings.destination.ton,
    destinationNpi: settings.destination.npi,
    destination: settings.destinationPrefix + sms.recipient,
    esmClass: settings.messagingMode,
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: validityPeriod(sms.expiresAt, settings.validity, now),
    registeredDelivery: settings.registeredDelivery,
    replaceIfPresent: 0,
    dataCoding: isFlash ? flashCoding(coding, settings.flash) : coding,
    shortMessage: EMPTY,
    tlvs: [...subunit, ...optionalParameters(sms, settings)],
  };
}

const EMPTY = Buffer.alloc(0);

/** Returns the type of number of a sender. */
export function sourceOf(sender: string, settings: EncodingSettings): { ton: number; npi: number } {
  if (!/^\d+$/.test(sender)) return settings.alphanumericSender;
  return sender.length <= settings.shortSenderDigits ? settings.shortSender : settings.internationalSender;
}

/** Class 0 of GSM 03.38: 0x10 and 0x18, or 0xF0, which has no form for UCS-2. */
function flashCoding(coding: number, flash: EncodingSettings['flash']): number {
  if (flash === 'subunit') return coding;
  if (coding === 8) return 0x18;
  return flash === 'f0' ? 0xf0 : 0x10;
}

function withTlvs(message: ShortMessage, tlvs: Tlv[]): ShortMessage {
  return { ...message, tlvs: [...tlvs, ...message.tlvs] };
}

function header(referenceBits: 8 | 16, reference: number, total: number, position: number): Buffer {
  if (referenceBits === 8) return Buffer.of(5, 0x00, 3, reference & 0xff, total, position);
  return Buffer.of(6, 0x08, 4, (reference >> 8) & 0xff, reference & 0xff, total, position);
}

function sarTlvs(reference: number, total: number, position: number): Tlv[] {
  return [
    { tag: TAG.sarReference, value: Buffer.of((reference >> 8) & 0xff, reference & 0xff) },
    { tag: TAG.sarTotal, value: Buffer.of(total) },
    { tag: TAG.sarSequence, value: Buffer.of(position) },
  ];
}
