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
 * Undefined when they are no number, or when nothing but its notation could be meant.
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

/** Masks what may be phone numbers in a text: all but the last four of 7 to 15 digits. Leaves UUIDs as they are. */
export function maskNumbers(text: string): string {
  return text.replace(/(?<![0-9a-f-])\d{3,11}(?=\d{4}(?!\d))/g, (digits) => '*'.repeat(digits.length));
}
