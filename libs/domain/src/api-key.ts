import { hash, randomBytes } from 'node:crypto';

const SHAPE = /^sb_(live|test)_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

/** Generates an API key: its kind, 32 random bytes in base64url, and a checksum of 8 hex digits. */
export function newApiKey(kind: 'live' | 'test'): string {
  const secret = randomBytes(32).toString('base64url');
  return `sb_${kind}_${secret}${checksum(kind, secret)}`;
}

/**
 * Checks the form and the checksum of a key, so that a mistyped key is refused without a query. The checksum
 * needs no secret.
 */
export function isApiKey(text: string): boolean {
  const match = SHAPE.exec(text);
  return match !== null && checksum(match[1]!, match[2]!) === match[3];
}

/** Hashes a key for storage with SHA-256. A key has 256 random bits, so a slow hash would add nothing. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(kind: string, secret: string): string {
  return hash('sha256', `${kind}:${secret}`).slice(0, 8);
}
