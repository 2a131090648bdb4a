const ALPHANUMERIC = /^[A-Za-z0-9 \-_.&]{1,11}$/;
const NUMERIC = /^\d{3,15}$/;

/**
 * Whether a text can be the sender of an SMS: 1-11 letters, digits, spaces and `-_.&`, or 3-15 digits (decisions, POST /v1/sms).
 * Digits and spaces alone never count as a name.
 */
export function isSmsSender(text: string): boolean {
  return NUMERIC.test(text) || (ALPHANUMERIC.test(text) && /[^0-9 ]/.test(text));
}
