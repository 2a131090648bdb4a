import { MAX_SMS_PARTS } from '../limits.ts';

export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** Encoding of an SMS and its number of parts, each of which costs one credit. */
export interface SmsSize {
  encoding: SmsEncoding;
  parts: number;
}

/** Characters of a single part, and of each of several: the header that joins parts takes six bytes. */
const GSM7 = { alone: 160, joined: 153 };
const UCS2 = { alone: 70, joined: 67 };

/** UTF-16 units of the longest text that can be sent: one of GSM 03.38, where each is a septet or two. */
export const MAX_SMS_LENGTH = MAX_SMS_PARTS * GSM7.joined;

const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION = '\f^{}\\[~]|€';

/** Septets of each UTF-16 unit in GSM 03.38: 1, 2 with an escape, or 0 for other characters. */
const SEPTETS = new Uint8Array(0x10000);
for (const char of DEFAULT_ALPHABET) SEPTETS[char.charCodeAt(0)] = 1;
for (const char of EXTENSION) SEPTETS[char.charCodeAt(0)] = 2;

/**
 * Counts the parts of an SMS: 160 or 153 septets each if GSM 03.38 can encode the text, otherwise 70 or 67 UTF-16
 * units. No part ends within an escape sequence or a surrogate pair. An empty text is one part.
 *
 * @param forceUcs2 encodes as UCS-2 whatever the content, as the request asked
 */
export function countParts(text: string, forceUcs2: boolean): SmsSize {
  const septets = forceUcs2 ? undefined : countSeptets(text);
  if (septets === undefined)
    return { encoding: 'UCS-2', parts: text.length <= UCS2.alone ? 1 : splitUnits(text) };
  return { encoding: 'GSM-7', parts: septets <= GSM7.alone ? 1 : splitSeptets(text) };
}

/** Chooses the encoding of a text: GSM-7 if GSM 03.38 can encode all of it, otherwise or by request UCS-2. */
export function encodingOf(text: string, forceUcs2: boolean): SmsEncoding {
  return forceUcs2 || countSeptets(text) === undefined ? 'UCS-2' : 'GSM-7';
}

/** Finds the first character that GSM 03.38 cannot encode, and its position in characters from 1. */
export function firstUnicode(text: string): { character: string; position: number } | undefined {
  let position = 0;
  for (const character of text) {
    position += 1;
    if (SEPTETS[character.charCodeAt(0)] === 0) return { character, position };
  }
  return undefined;
}

function countSeptets(text: string): number | undefined {
  let total = 0;
  for (let i = 0; i < text.length; i += 1) {
    const septets = SEPTETS[text.charCodeAt(i)]!;
    if (septets === 0) return undefined;
    total += septets;
  }
  return total;
}

function splitSeptets(text: string): number {
  let parts = 1;
  let used = 0;
  for (let i = 0; i < text.length; i += 1) {
    const septets = SEPTETS[text.charCodeAt(i)]!;
    if (used + septets > GSM7.joined) {
      parts += 1;
      used = 0;
    }
    used += septets;
  }
  return parts;
}

function splitUnits(text: string): number {
  let parts = 0;
  for (let start = 0; start < text.length; parts += 1) {
    start += UCS2.joined;
    if (start < text.length && isPair(text.charCodeAt(start - 1), text.charCodeAt(start))) start -= 1;
  }
  return parts;
}

function isPair(high: number, low: number): boolean {
  return (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;
}
