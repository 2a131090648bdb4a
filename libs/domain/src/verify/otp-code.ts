import { createHash, createHmac, randomInt } from 'node:crypto';

/** What codes may be made of. Letters and digits that people take for one another are left out of the mixed alphabet. */
const CHARACTERS = { numeric: '0123456789', alphanumeric: '23456789ABCDEFGHJKMNPQRSTUVWXYZ' } as const;

export type OtpAlphabet = keyof typeof CHARACTERS;
export const OTP_ALPHABETS = Object.keys(CHARACTERS) as OtpAlphabet[];

/** Characters of a code. */
export const MIN_CODE_LENGTH = 4;
export const MAX_CODE_LENGTH = 10;

/** A new code from the system's secure source of randomness, each character as likely as any other. */
export function newOtpCode(length: number, alphabet: OtpAlphabet): string {
  const characters = CHARACTERS[alphabet];
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

/**
 * What is stored of a code: HMAC-SHA-256 under a pepper that is kept outside the database, bound to its account and verification.
 * Letters count the same in either case.
 */
export function otpMac(pepper: string, accountId: string, verifyId: string, code: string): Buffer {
  return createHmac('sha256', Buffer.from(pepper, 'base64'))
    .update(`${accountId} ${verifyId} ${code.toUpperCase()}`)
    .digest();
}

/**
 * A MAC made ready to be compared in the database. Both sides are hashed with the same fresh nonce, so that how long the comparison
 * takes tells nothing about the stored one.
 */
export function blindMac(mac: Buffer, nonce: Buffer): Buffer {
  return createHash('sha256').update(mac).update(nonce).digest();
}
