import { septetsOf } from './gsm-alphabet.ts';

/** Septets of a message alone, and of each of several with an 8-bit or a 16-bit reference. */
const SEPTETS = { alone: 160, joined: 153, joined16: 152 };
/** UTF-16 units likewise. */
const UNITS = { alone: 70, joined: 67, joined16: 66 };

/**
 * Splits a text of GSM 03.38 where `countParts` counts parts; no segment ends within an escape sequence.
 *
 * @param referenceBits 16 makes segments one septet shorter
 */
export function splitGsm(text: string, referenceBits: 8 | 16): string[] {
  let total = 0;
  for (let i = 0; i < text.length; i += 1) total += septetsOf(text.charCodeAt(i));
  if (total <= SEPTETS.alone) return [text];
  const limit = referenceBits === 8 ? SEPTETS.joined : SEPTETS.joined16;
  const segments: string[] = [];
  let start = 0;
  let used = 0;
  for (let i = 0; i < text.length; i += 1) {
    const septets = septetsOf(text.charCodeAt(i));
    if (used + septets > limit) {
      segments.push(text.slice(start, i));
      start = i;
      used = 0;
    }
    used += septets;
  }
  return [...segments, text.slice(start)];
}

/** Splits any text likewise; no segment ends within a surrogate pair. */
export function splitUcs2(text: string, referenceBits: 8 | 16): string[] {
  if (text.length <= UNITS.alone) return [text];
  const limit = referenceBits === 8 ? UNITS.joined : UNITS.joined16;
  const segments: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endBefore(text, start + limit);
    segments.push(text.slice(start, end));
    start = end;
  }
  return segments;
}

function endBefore(text: string, end: number): number {
  const isSplitPair =
    end < text.length &&
    (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return isSplitPair ? end - 1 : end;
}
