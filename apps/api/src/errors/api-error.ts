import type { Violation } from '@signalbox/domain/violation';
import { ERRORS } from './error-codes.ts';
import type { ErrorCode } from './error-codes.ts';

export interface ApiErrorOptions {
  details?: Violation[];
  /** Becomes the Retry-After header, rounded up. */
  retryAfterSeconds?: number;
  /** Further members of the answer's `error`, such as attemptsRemaining. */
  extra?: Record<string, string | number>;
  /** The underlying error, for the log; never shown to the caller. */
  cause?: unknown;
}

/** Maximum violations in one answer, so that a large bad body does not make a larger answer. */
export const MAX_VIOLATIONS = 100;

/** A failure that the caller sees: a code from the error table and a message for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly details: readonly Violation[];
  readonly retryAfterSeconds: number | undefined;
  readonly extra: Readonly<Record<string, string | number>>;

  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].title,
    options: ApiErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extra = options.extra ?? {};
  }
}

/** A 400 that lists every violation; its message is the first: `text.body must be at most 1024 characters`. */
export function invalidRequest(violations: Violation[]): ApiError {
  const [first] = violations;
  const message = first === undefined ? ERRORS.invalid_request.title : `${first.field} ${first.message}`;
  return new ApiError('invalid_request', message, { details: violations.slice(0, MAX_VIOLATIONS) });
}
