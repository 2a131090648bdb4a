/** Characters of the longest sender of a message: a number of a phone. */
export const MAX_SENDER_LENGTH = 15;

/** Characters of the longest address of an inbound SMS, which is stored as reported (SMPP 3.4, section 5.2.8). */
export const MAX_ADDRESS_LENGTH = 20;

const ALPHANUMERIC = /^[A-Za-z0-9 \-_.&]{1,11}$/;
const NUMERIC = new RegExp(`^\\d{3,${MAX_SENDER_LENGTH}}$`);

/**
 * Checks the sender of an SMS: 1-11 letters, digits, spaces and `-_.&` with at least one that is no digit or
 * space, or 3-15 digits.
 */
export function isSmsSender(text: string): boolean {
  return NUMERIC.test(text) || (ALPHANUMERIC.test(text) && /[^0-9 ]/.test(text));
}
