import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors/api-error.ts';

const JSON_TYPE = 'application/json';

/**
 * What HTTP clients declare by themselves for a text they are given: curl and urllib a form, fetch plain text. A caller
 * who sends just the spec's `contentType: application/json` header cannot mean them (decisions, Common rules).
 */
const UNMEANT_TYPES = new Set([undefined, 'application/x-www-form-urlencoded', 'text/plain']);

/**
 * Makes the headers of a request with a body say what the body is: a body that only the spec's `contentType` header
 * declares becomes JSON.
 *
 * @returns why the body cannot be read, if so
 */
export function settleBodyHeaders(headers: IncomingHttpHeaders): ApiError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new ApiError('unsupported_media_type');
  const declared = headers['content-type'];
  if (declared === JSON_TYPE) return undefined;
  const type = mediaType(declared);
  if (UNMEANT_TYPES.has(type) && mediaType(specContentType(headers)) === JSON_TYPE)
    headers['content-type'] = JSON_TYPE;
  else if (type === JSON_TYPE && !isUtf8(declared!)) return new ApiError('unsupported_media_type');
  return undefined;
}

function specContentType(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['contenttype'];
  return typeof value === 'string' ? value : value?.[0];
}

/** `Application/JSON; charset=utf-8` → `application/json`. */
function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]!.trim().toLowerCase();
}

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}
