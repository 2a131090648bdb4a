import { createHmac } from 'node:crypto';

/** Characters of a short link's code: 71 bits, so that neither guessing nor chance finds one. */
export const SHORT_CODE_LENGTH = 12;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^[0-9A-Za-z]{12}$/;

/** Each half of a code comes from six bytes of the digest; 2^48 is so much more than 62^6 that the remainder is even. */
const HALF_BYTES = 6;
const HALF_LENGTH = SHORT_CODE_LENGTH / 2;

/**
 * The code of link number `link` of a message. It follows from the message and a secret, so that a message that is written
 * again has the same links, and nobody without the secret can tell one code from another.
 */
export function shortCode(secret: string, messageId: string, link: number): string {
  const digest = createHmac('sha256', secret).update(`short link ${messageId} ${link}`).digest();
  return toBase62(digest.readUIntBE(0, HALF_BYTES)) + toBase62(digest.readUIntBE(HALF_BYTES, HALF_BYTES));
}

/** Whether a text can be a code; anything else needs no look-up. */
export function isShortCode(text: string): boolean {
  return SHAPE.test(text);
}

function toBase62(number: number): string {
  let text = '';
  for (let rest = number; text.length < HALF_LENGTH; rest = Math.floor(rest / 62))
    text += ALPHABET[rest % 62];
  return text;
}
