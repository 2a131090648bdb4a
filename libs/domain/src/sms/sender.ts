const ALPHANUMERIC = /^[A-Za-z0-9 \-_.&]{1,11}$/;
const NUMERIC = /^\d{3,15}$/;

/**
 * Checks the sender of an SMS: 1-11 letters, digits, spaces and `-_.&` with at least one that is no digit or
 * space, or 3-15 digits.
 */
export function isSmsSender(text: string): boolean {
  return NUMERIC.test(text) || (ALPHANUMERIC.test(text) && /[^0-9 ]/.test(text));
}
