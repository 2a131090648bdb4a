import { HttpException } from '@nestjs/common';
import { isUnstorableValue } from '@signalbox/database/core/refused-value';
import { isOutage } from '@signalbox/runtime/outage';
import { ApiError } from './api-error.ts';
import type { ErrorCode } from './error-codes.ts';

/**
 * Codes by the status that Nest or Fastify chose; any other 4xx is an invalid request. A 403 is a path outside the
 * files of /docs: missing scopes are errors of our own.
 */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'api_key_invalid',
  403: 'route_not_found',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

/** Says which content types are read. */
const SUPPORTED =
  'Send JSON with the header `Content-Type: application/json`, and a file as `multipart/form-data`.';

/**
 * Converts anything thrown: an ApiError stays as it is, an error of the framework goes by its status, an outage becomes
 * 503, a value that Postgres cannot hold 400, and anything else is a bug, 500. The message of a foreign error is kept as
 * the cause only.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const code = codeOf(thrown);
  if (isUnstorableValue(thrown))
    return new ApiError(code, 'The request holds a value that cannot be stored.', { cause: thrown });
  if (code === 'unsupported_media_type') return new ApiError(code, SUPPORTED, { cause: thrown });
  if (code === 'invalid_request') return new ApiError(code, 'The request is malformed.', { cause: thrown });
  return new ApiError(code, undefined, { cause: thrown });
}

function codeOf(thrown: unknown): ErrorCode {
  const status = frameworkStatus(thrown);
  if (status === undefined) return codeOfOther(thrown);
  return CODE_OF_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

function codeOfOther(thrown: unknown): ErrorCode {
  if (isOutage(thrown)) return 'unavailable';
  return isUnstorableValue(thrown) ? 'invalid_request' : 'internal_error';
}

/** The status of an error of Nest or Fastify. A `statusCode` on any other error is not ours. */
function frameworkStatus(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (!(thrown instanceof Error)) return undefined;
  const { statusCode, code } = thrown as { statusCode?: unknown; code?: unknown };
  const fromFastify = thrown.name === 'FastifyError' || isBrokenBody(statusCode, code);
  return fromFastify && typeof statusCode === 'number' ? statusCode : undefined;
}

/** Fastify marks the error of an aborted body with a 400; without the mark, ECONNRESET comes from a store. */
function isBrokenBody(statusCode: unknown, code: unknown): boolean {
  return statusCode === 400 && code === 'ECONNRESET';
}
