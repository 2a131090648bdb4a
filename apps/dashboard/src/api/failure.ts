import { type Failure, isFailure } from '@signalbox/client';
import { isSessionEnd } from './session-end.ts';
import { capitalized } from '../parts/capitalized.ts';

/** A violated rule of a request: the field, and the sentence about it. */
export type Violation = Failure['error']['details'][number];

/** A call that failed: refused by the api, or without an answer. Pages show its message, code and request id. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';

  constructor(
    message: string,
    readonly code: string,
    /** HTTP status, or 0 when no answer arrived. */
    readonly status: number,
    readonly requestId: string | undefined,
    readonly details: readonly Violation[],
  ) {
    super(message);
  }

  /** True when no answer arrived, as without a network. */
  get isOffline(): boolean {
    return this.status === 0;
  }

  get isForbidden(): boolean {
    return this.status === 403;
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** True for what stays refused or absent however often it is asked for. */
  get isLasting(): boolean {
    return this.isForbidden || this.isNotFound;
  }

  /** Returns the sentence about a field of the request, if one of its rules is broken. */
  about(field: string): string | undefined {
    const violation = this.details.find((each) => each.field === field);
    return violation && sentenceOf(violation);
  }
}

/** The sentence at a field. The api writes "must be …", without a subject. */
export function sentenceOf({ message }: Violation): string {
  return capitalized(message);
}

/** Answers of the api, or of a proxy before it, that say that it does not work at present; 0 for no answer. */
const OUTAGE_STATUSES = new Set([0, 502, 503, 504]);

/** True for a failure that ends by itself: the api cannot be reached, or does not work at present. */
export function isTemporary(failure: unknown): boolean {
  return failure instanceof ApiFailure && OUTAGE_STATUSES.has(failure.status);
}

/** The sentences of a refused request by the paths of its fields; none where the api refused no field. */
export function fieldErrorsOf(failure: unknown): Record<string, string> {
  if (!(failure instanceof ApiFailure)) return {};
  return Object.fromEntries(failure.details.map((each) => [each.field, sentenceOf(each)]));
}

/** Fields of the request that a code is about: the api names none for these codes. */
const FIELDS_OF: Readonly<Record<string, string>> = {
  name_exists: 'name',
  template_exists: 'name',
  user_exists: 'email',
  sender_taken: 'msisdn',
  password_incorrect: 'password',
  code_incorrect: 'code',
};

/** Stays on the page while its user signs in again. */
const SESSION_ENDED = 'Your session had ended, so nothing was done. Try again.';

/** Reads the body of a failure, or names what happened instead of an answer. */
export function toFailure(error: unknown, response: Response | undefined): ApiFailure {
  if (!response) return new ApiFailure('Signalbox cannot be reached.', 'offline', 0, undefined, []);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (isFailure(error)) {
    const { message, code } = error.error;
    if (isSessionEnd(code)) return new ApiFailure(SESSION_ENDED, code, response.status, requestId, []);
    return new ApiFailure(message, code, response.status, requestId, violationsOf(error));
  }
  return new ApiFailure(
    `Signalbox returned ${response.status}.`,
    'unexpected_answer',
    response.status,
    requestId,
    [],
  );
}

function violationsOf({ error: { code, message, details } }: Failure): readonly Violation[] {
  const field = FIELDS_OF[code];
  if (field === undefined || (details && details.length > 0)) return details ?? [];
  return [{ field, rule: code, message }];
}
