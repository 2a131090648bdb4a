import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { findTlsAdvice } from '@signalbox/runtime/tls-failure';
import { findAddress, isHttp, setting } from './command.ts';

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
const EXAMPLE = 'https://signalbox.example.com';

/** A body to post. */
interface Post {
  body: object;
}

/** A call without a body. */
interface Bodyless {
  method: 'DELETE';
}

/** An answer of the API, or the failure; `retryAfterSeconds` is set when the call may be repeated. */
type Outcome<Answer> = { answer: Answer } | { failure: string; retryAfterSeconds: number | undefined };

/** Options of the repeats of a call. */
interface Repeats {
  /** Ends the call, and the waits before its repeats. */
  signal?: AbortSignal;
  /** Called before each wait, with the last failure. By default both are printed to stderr. */
  onWait?: (failure: string, seconds: number) => void;
}

/** The API refused a call, or did not answer it. */
export class CallFailure extends Error {
  /** True when the same call may succeed later. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

/**
 * Calls the API of SIGNALBOX_URL with SIGNALBOX_API_KEY. Repeats what may succeed later; the repeats of a post have the
 * same idempotency key, and count once.
 *
 * @param path path below the address, which may have one itself
 * @throws CallFailure with the message, code and request id of the last failure; the reason of an aborted signal
 */
export async function callApi<Answer>(
  path: string,
  call?: Post | Bodyless,
  { signal, onWait = printWait }: Repeats = {},
): Promise<Answer> {
  const url = urlOf(path);
  const apikey = setting('SIGNALBOX_API_KEY', 'it is the key that the call is made with.');
  const request = requestOf(apikey, call);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptCall<Answer>(url, request, signal);
    if ('answer' in outcome) return outcome.answer;
    signal?.throwIfAborted();
    const { failure, retryAfterSeconds } = outcome;
    if (retryAfterSeconds === undefined || attempt === ATTEMPTS)
      throw new CallFailure(failure, retryAfterSeconds !== undefined);
    onWait(failure, retryAfterSeconds);
    await wait(retryAfterSeconds * 1_000, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

function printWait(failure: string, seconds: number): void {
  console.error(`${failure}\nTrying again in ${seconds} s.`);
}

/** @throws Error for an address that is none of HTTP */
function urlOf(path: string): URL {
  const address = findAddress('SIGNALBOX_URL') ?? setting('SIGNALBOX_URL', `name the API, as ${EXAMPLE}.`);
  if (isHttp(address)) return new URL(address + path);
  throw new Error(`SIGNALBOX_URL must be the address of the API, as ${EXAMPLE}, not "${address}".`);
}

async function attemptCall<Answer>(
  url: URL,
  request: RequestInit,
  ending: AbortSignal | undefined,
): Promise<Outcome<Answer>> {
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = ending ? AbortSignal.any([ending, timeout]) : timeout;
    // fetch would send the key on to where a redirect leads, and turn a POST into a GET
    const response = await fetch(url, { ...request, redirect: 'manual', signal });
    return await readOutcome<Answer>(response);
  } catch (cause) {
    // the request may have arrived: a repeat under the same idempotency key is harmless
    const { code, message } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
    const advice = findTlsAdvice({ code, message }) ?? 'Check SIGNALBOX_URL, and that the API runs.';
    return { failure: `${url.origin} does not answer: ${code || message}. ${advice}`, retryAfterSeconds: 1 };
  }
}

function requestOf(apikey: string, call: Post | Bodyless | undefined): RequestInit {
  if (call === undefined || 'method' in call) return { ...call, headers: { apikey } };
  const headers = { apikey, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return { method: 'POST', headers, body: JSON.stringify(call.body) };
}

interface Failure {
  error: { code: string; message: string; retryable: boolean; requestId: string };
}

async function readOutcome<Answer>(response: Response): Promise<Outcome<Answer>> {
  const text = await response.text();
  const body = response.headers.get('content-type')?.includes('json') ? parse(text) : undefined;
  if (response.ok && body) return { answer: body as Answer };
  if (!isFailure(body)) return otherServer(response);
  const { code, message, retryable, requestId } = body.error;
  const after = Number(response.headers.get('retry-after') ?? 1) || 1;
  return {
    failure: `${message}\n(${response.status} ${code}, request ${requestId})`,
    retryAfterSeconds: retryable ? after : undefined,
  };
}

/** Parses an object; undefined for any other text. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFailure(body: object | undefined): body is Failure {
  const { error } = (body ?? {}) as Partial<Failure>;
  return typeof error === 'object' && error !== null && 'retryable' in error;
}

/** Outcome of an answer that is not of the API: of a proxy that redirects or lacks it, or of another program. */
function otherServer({ status, url, headers }: Response): {
  failure: string;
  retryAfterSeconds: number | undefined;
} {
  const { origin } = new URL(url);
  const location = headers.get('location');
  if (location !== null && status >= 300 && status < 400) {
    const failure = `${origin} redirects to ${location}. Set SIGNALBOX_URL to the address of the API itself.`;
    return { failure, retryAfterSeconds: undefined };
  }
  const failure = `${origin} answers ${status} otherwise than the API. Check that SIGNALBOX_URL is the address of the API, and that a proxy in front of it reaches it.`;
  return { failure, retryAfterSeconds: status >= 500 ? Number(headers.get('retry-after')) || 1 : undefined };
}
