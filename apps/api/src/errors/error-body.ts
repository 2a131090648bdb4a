import type { Violation } from '@signalbox/domain/violation';
import type { ApiError } from './api-error.ts';
import { ERRORS } from './error-codes.ts';
import type { ErrorCode } from './error-codes.ts';

/** The body of every failure (decisions, Envelope). */
export interface ErrorBody {
  id: null;
  data: null;
  message: string;
  error: {
    code: ErrorCode;
    message: string;
    retryable: boolean;
    docs: string;
    requestId: string;
    details: readonly Violation[];
  };
}

/** The envelope of a failure; holds nothing of the error but what its class promises to show. */
export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    id: null,
    data: null,
    message: error.message,
    error: {
      code: error.code,
      message: error.message,
      retryable: ERRORS[error.code].retryable,
      docs: `/docs/errors#${error.code}`,
      requestId,
      ...error.extra,
      details: error.details,
    },
  };
}

/** Seconds for the Retry-After header, at least 1; undefined for an answer that carries none. 429 and 503 always do. */
export function retryAfterSeconds(error: ApiError): number | undefined {
  const { status } = ERRORS[error.code];
  const seconds = error.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}
