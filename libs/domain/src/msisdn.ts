const SHAPE = /^\+?[1-9]\d{6,14}$/;

/** Parses a number with country code, 7-15 digits, to its digits without the plus; else undefined. */
export function parseMsisdn(text: string): string | undefined {
  if (!SHAPE.test(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

/** Masks all but the last four digits of a phone number, for logs. */
export function maskMsisdn(digits: string): string {
  return digits.slice(-4).padStart(digits.length, '*');
}
