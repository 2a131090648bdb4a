import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors/api-error.ts';

/** Methods whose requests have no body, or one that is ignored. */
export const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const JSON_TYPE = 'application/json';

/**
 * Types that HTTP clients declare by default for a text: curl and urllib a form, fetch plain text. A client that also
 * sends the `contentType: application/json` header means JSON.
 */
const DEFAULT_TYPES = new Set([undefined, 'application/x-www-form-urlencoded', 'text/plain']);

/**
 * Corrects the declared type of a body: one that is JSON by the `contentType` header alone becomes JSON, and an empty
 * body loses its type, which clients declare by default.
 *
 * @returns the refusal of a body that cannot be read
 */
export function fixBodyHeaders(headers: IncomingHttpHeaders): ApiError | undefined {
  if (headers['content-length'] === '0') {
    delete headers['content-type'];
    return undefined;
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new ApiError('unsupported_media_type');
  const declared = headers['content-type'];
  if (declared === JSON_TYPE) return undefined;
  const type = mediaType(declared);
  if (DEFAULT_TYPES.has(type) && mediaType(specContentType(headers)) === JSON_TYPE)
    headers['content-type'] = JSON_TYPE;
  else if (type === JSON_TYPE && !isUtf8(declared!)) return new ApiError('unsupported_media_type');
  return undefined;
}

export function isMultipart(headers: IncomingHttpHeaders): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '');
}

function specContentType(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['contenttype'];
  return typeof value === 'string' ? value : value?.[0];
}

/** `Application/JSON; charset=utf-8` → `application/json`. */
function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]!.trim().toLowerCase();
}

/** US-ASCII is a part of UTF-8. */
const UTF8_CHARSETS = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || UTF8_CHARSETS.has(charset.toLowerCase());
}
