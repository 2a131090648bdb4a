import type { Violation } from '@signalbox/domain/violation';
import type { ApiError } from './api-error.ts';
import { ERRORS } from './error-codes.ts';
import type { ErrorCode } from './error-codes.ts';

/** The body of every failure. */
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

/** Builds the body of a failure. It shows only the public members of the error, never its cause or stack. */
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

/** Seconds for the Retry-After header, at least 1; always set for 429 and 503, undefined where it does not apply. */
export function retryAfterSeconds(error: ApiError): number | undefined {
  const { status } = ERRORS[error.code];
  const seconds = error.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}
