import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '@signalbox/domain/is-object';
import type { CallbackRequest } from '../callback-format.ts';
import type { SignatureSettings } from './callback-settings.ts';
import { parseJson } from './parse-body.ts';
import { urlSpellings } from './url-spellings.ts';

const ALGORITHMS: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };
const LEEWAY_SECONDS = 60;
const MAX_LENGTH = 8_192;

/**
 * Verifies a JSON Web Token of an HMAC (RFC 7515, RFC 7519) in a header: its signature, its times, and the SHA-256 of
 * URL and body in its claims. A token without a claim that the settings name is refused; that of an empty body may be
 * absent.
 */
export function verifyToken(
  { url, headers, body }: CallbackRequest,
  { header = '', urlClaim, bodyClaim }: SignatureSettings,
  secret: string,
): boolean {
  const claims = openToken(String(headers[header.toLowerCase()] ?? ''), secret);
  if (!claims || !isCurrent(claims, Date.now() / 1_000)) return false;
  if (urlClaim !== undefined && !urlSpellings(url).some((each) => claims[urlClaim] === sha256(each)))
    return false;
  if (bodyClaim === undefined) return true;
  return claims[bodyClaim] === sha256(body) || (body.length === 0 && claims[bodyClaim] === undefined);
}

function openToken(token: string, secret: string): Record<string, unknown> | undefined {
  const [head = '', payload = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || token.length > MAX_LENGTH) return undefined;
  const algorithm = algorithmOf(decode(head));
  if (algorithm === undefined) return undefined;
  const right = createHmac(algorithm, secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return decode(payload);
}

function algorithmOf(head: Record<string, unknown> | undefined): string | undefined {
  const name = head?.['alg'];
  return typeof name === 'string' && Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined;
}

function decode(part: string): Record<string, unknown> | undefined {
  const value = parseJson(Buffer.from(part, 'base64url').toString());
  return isObject(value) ? value : undefined;
}

function isCurrent({ exp, nbf }: Record<string, unknown>, now: number): boolean {
  const isIn = (limit: unknown, late: number): boolean => typeof limit === 'number' && late <= LEEWAY_SECONDS;
  return (
    (exp === undefined || isIn(exp, now - Number(exp))) && (nbf === undefined || isIn(nbf, Number(nbf) - now))
  );
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
