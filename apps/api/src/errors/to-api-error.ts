import { HttpException } from '@nestjs/common';
import { ApiError } from './api-error.ts';
import type { ErrorCode } from './error-codes.ts';
import { isOutage } from './outage.ts';

/** The code for a status that Nest or Fastify chose; any other 4xx is an invalid request. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'api_key_invalid',
  403: 'scope_missing',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

/**
 * What the caller is told of anything that was thrown: an ApiError as it is, an error of the framework by its status,
 * an outage as 503, and all else as a bug of ours. The text of foreign errors stays inside, as the cause.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const code = codeOf(thrown);
  if (code === 'invalid_request') return new ApiError(code, 'The request is malformed.', { cause: thrown });
  return new ApiError(code, undefined, { cause: thrown });
}

function codeOf(thrown: unknown): ErrorCode {
  const status = frameworkStatus(thrown);
  if (status === undefined) return isOutage(thrown) ? 'unavailable' : 'internal_error';
  return CODE_OF_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

/** The status of an error of Nest or Fastify; a `statusCode` on any other error means nothing to our caller. */
function frameworkStatus(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (!(thrown instanceof Error)) return undefined;
  const { statusCode, code } = thrown as { statusCode?: unknown; code?: unknown };
  const fromFastify = thrown.name === 'FastifyError' || isBrokenBody(statusCode, code);
  return fromFastify && typeof statusCode === 'number' ? statusCode : undefined;
}

/** Fastify marks the error of a body whose sender went away with a 400; without the mark, ECONNRESET is a store's. */
function isBrokenBody(statusCode: unknown, code: unknown): boolean {
  return statusCode === 400 && code === 'ECONNRESET';
}
