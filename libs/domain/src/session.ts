import { hash, randomBytes } from 'node:crypto';

/** Hours after its last use at which a session ends. */
export const SESSION_IDLE_HOURS = 12;

/** Days after its start at which a session ends, used or not. */
export const SESSION_DAYS = 7;

/** Generates the secret of a session or of a sign-in link: 32 random bytes in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** True for text of the form of `newToken`. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Hashes a token for storage with SHA-256. A token has 256 random bits, so a slow hash would add nothing. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
