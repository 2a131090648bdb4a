import { createHmac } from 'node:crypto';

/**
 * Characters of a short link's code: 71 bits, so that codes can be neither guessed nor repeated by chance.
 */
export const SHORT_CODE_LENGTH = 12;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^[0-9A-Za-z]{12}$/;

/** Bytes of the digest per half of a code. Modulo 62^6, the bias of 2^48 is negligible. */
const HALF_BYTES = 6;
const HALF_LENGTH = SHORT_CODE_LENGTH / 2;

/**
 * Derives the code of a link from its message and a secret: a message that is rendered again has the same links, and
 * codes cannot be predicted without the secret.
 *
 * @param link number of the link within the message, from 1
 */
export function shortCode(secret: string, messageId: string, link: number): string {
  const digest = createHmac('sha256', secret).update(`short link ${messageId} ${link}`).digest();
  return toBase62(digest.readUIntBE(0, HALF_BYTES)) + toBase62(digest.readUIntBE(HALF_BYTES, HALF_BYTES));
}

/** Checks the form of a code, so that other texts need no query. */
export function isShortCode(text: string): boolean {
  return SHAPE.test(text);
}

function toBase62(number: number): string {
  let text = '';
  for (let rest = number; text.length < HALF_LENGTH; rest = Math.floor(rest / 62))
    text += ALPHABET[rest % 62];
  return text;
}
