/** Longer text is no number with separators. */
const MAX_GUESSED_LENGTH = 40;

const SHAPE = /^\+?[1-9]\d{6,14}$/;

/** Parses a number with country code, 7-15 digits, to its digits without the plus; else undefined. */
export function parseMsisdn(text: string): string | undefined {
  if (!SHAPE.test(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

/**
 * Guesses the digits of a number in another notation: with spaces, dashes, brackets, dots, `tel:`, `00` or `(0)`.
 * Undefined when the digits are no MSISDN.
 */
export function guessMsisdn(text: string): string | undefined {
  if (text.length > MAX_GUESSED_LENGTH) return undefined;
  const bare = text.trim().replace(/^tel:/i, '');
  if (!/^[+\d\s().\-/\u2010-\u2015\u00a0]+$/.test(bare)) return undefined;
  const digits = bare.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^00/, '');
  return parseMsisdn(digits);
}

/** Masks all but the last four digits of a phone number, for logs. */
export function maskMsisdn(digits: string): string {
  return digits.slice(-4).padStart(digits.length, '*');
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Digits after a plus, also in groups, as `+91 98765-43210`. */
const GROUPED = String.raw`(?<=\+)\d(?:[ ().-]{0,2}\d){6,14}(?![a-z0-9])`;
/** Letters and digits that begin a word, or follow an encoded character such as `%2B`; not the first of a UUID. */
const WORD = String.raw`(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}))[a-z]*\d[a-z0-9]*(?![a-z0-9])(?!-[0-9a-f]{4}-[0-9a-f]{4}-)`;
const CANDIDATES = new RegExp(`(${UUID}|%[0-9a-f]{2})|(${GROUPED})|${WORD}`, 'gi');

/** A number by itself, or with words before and after it: `\n919800000001`, `to919800000001`. */
const NUMBER = /^([a-z]*)(\d{7,15})([a-z]*)$/i;
const HEXADECIMAL = /^[a-f]+$/;

/**
 * Masks what may be phone numbers in a text, down to their last four digits: 7 to 15 digits, after a plus also in
 * groups. Leaves ids as they are: UUIDs, longer numbers, and words in which hexadecimal letters or several groups of
 * digits stand.
 */
export function maskNumbers(text: string): string {
  return text.replace(CANDIDATES, (found, kept?: string, grouped?: string) => {
    if (kept !== undefined) return found;
    return grouped === undefined ? maskWord(found) : maskMsisdn(grouped.replaceAll(/\D/g, ''));
  });
}

function maskWord(word: string): string {
  const [, before = '', digits, after = ''] = NUMBER.exec(word) ?? [];
  if (digits === undefined || HEXADECIMAL.test(before + after)) return word;
  return before + maskMsisdn(digits) + after;
}
