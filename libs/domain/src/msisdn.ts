const SHAPE = /^\+?[1-9]\d{6,14}$/;

/** Reads a phone number with country code, 7-15 digits; returns its digits without the plus, or undefined (decisions, Common rules). */
export function parseMsisdn(text: string): string | undefined {
  if (!SHAPE.test(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

/** A phone number for a log line: only its last four digits can be read. */
export function maskMsisdn(digits: string): string {
  return digits.slice(-4).padStart(digits.length, '*');
}
