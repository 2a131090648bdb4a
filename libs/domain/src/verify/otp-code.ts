import { createHash, createHmac, randomInt } from 'node:crypto';

/** Alphabets of codes. The mixed alphabet omits letters and digits that look alike. */
const CHARACTERS = { numeric: '0123456789', alphanumeric: '23456789ABCDEFGHJKMNPQRSTUVWXYZ' } as const;

export type OtpAlphabet = keyof typeof CHARACTERS;
export const OTP_ALPHABETS = Object.keys(CHARACTERS) as OtpAlphabet[];

/** Characters of a code. */
export const MIN_CODE_LENGTH = 4;
export const MAX_CODE_LENGTH = 10;

/** Generates a code from the system's secure source of randomness. All characters are equally likely. */
export function newOtpCode(length: number, alphabet: OtpAlphabet): string {
  const characters = CHARACTERS[alphabet];
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

/**
 * Computes the stored form of a code: HMAC-SHA-256 with a pepper kept outside the database, bound to account and
 * verification. Letters match in either case.
 */
export function otpMac(pepper: string, accountId: string, verifyId: string, code: string): Buffer {
  return createHmac('sha256', Buffer.from(pepper, 'base64'))
    .update(`${accountId} ${verifyId} ${code.toUpperCase()}`)
    .digest();
}

/**
 * Blinds a MAC for comparison in the database. Both sides are hashed with the same fresh nonce, so that the
 * duration of the comparison reveals nothing about the stored MAC.
 */
export function blindMac(mac: Buffer, nonce: Buffer): Buffer {
  return createHash('sha256').update(mac).update(nonce).digest();
}
