import type { Failure } from './generated/types.gen.ts';

/** Statuses below 500 of failures that may succeed later. */
const TEMPORARY_STATUSES = new Set([408, 425, 429]);

/** Names of the errors of `fetch`: without a connection, or when it ended before the whole response was there. */
const FETCH_ERRORS = new Set(['TypeError', 'TimeoutError', 'AbortError']);

/**
 * A call that failed. It has the members of the body of a failure: `error.code` is the code of the API, or `no_answer`
 * when the API did not answer, as without a network or during an outage behind a proxy.
 */
export class SignalboxError extends Error implements Failure {
  override name = 'SignalboxError';
  readonly error: Failure['error'];
  /** HTTP status; undefined when no response arrived. */
  readonly status: number | undefined;
  /** Seconds to wait before the call is repeated, where `error.retryable` is true. */
  readonly retryAfterSeconds: number;

  constructor(error: Failure['error'], response: Response | undefined, options?: ErrorOptions) {
    super(error.message, options);
    this.error = error;
    this.status = response?.status;
    this.retryAfterSeconds = Number(response?.headers.get('retry-after')) || 1;
  }

  get id(): null {
    return null;
  }

  get data(): null {
    return null;
  }
}

/** True for the body of a failure of the API. */
export function isFailure(body: unknown): body is Failure {
  const error = (body as Partial<Failure> | null | undefined)?.error;
  // other programs name a code as well
  return typeof error === 'object' && error !== null && 'code' in error && 'retryable' in error;
}

/**
 * Converts the end of a failed call: the body of a failure, another body, or the error of `fetch`.
 *
 * @param request undefined if none could be made, as for an invalid address
 */
export function toSignalboxError(
  cause: unknown,
  response: Response | undefined,
  request: Request | undefined,
): SignalboxError {
  if (isFailure(cause)) return new SignalboxError(cause.error, response);
  const name = (cause as Error | null | undefined)?.name ?? '';
  const isAborted = request?.signal.aborted === true && name !== 'TimeoutError'; // the cause may be any value
  const isForeign = response !== undefined && !isAborted && !FETCH_ERRORS.has(name);
  const error: Failure['error'] = {
    code: 'no_answer',
    message: isForeign ? describeForeign(response) : describeAbsence(cause, request),
    retryable: isForeign ? isTemporary(response.status) : request !== undefined && !isAborted,
    docs: '/docs/errors',
    requestId: response?.headers.get('x-request-id') ?? '',
    details: [],
  };
  return new SignalboxError(error, response, { cause });
}

function isTemporary(status: number): boolean {
  return status >= 500 || TEMPORARY_STATUSES.has(status);
}

/** Describes a response that is not one of the API. */
function describeForeign({ status, headers }: Response): string {
  const target = headers.get('location');
  if (target !== null)
    return `The call was redirected to ${target}. Signalbox redirects none: check the url.`;
  return `The response with status ${status} is not from Signalbox: check the url, and any proxy in front of it.`;
}

function describeAbsence(cause: unknown, request: Request | undefined): string {
  const { message, cause: inner } = Object(cause) as Error & { cause?: Error & { code?: string } };
  const what = request === undefined ? 'The call could not be made' : 'Signalbox did not answer';
  return `${what}: ${inner?.message || inner?.code || message || String(cause)}`;
}
