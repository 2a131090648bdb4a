import type { Dispatcher } from 'undici';
import { type Caller, type Connection, actAs, actAsNone } from './connection.ts';
import { EndpointForbiddenError } from './guarded-connector.ts';
import type { OriginConnections } from './origin-connections.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { CallOwner, CallTimings, PushError, PushResult } from './webhook-call.ts';

const MAX_ANSWER_BYTES = 16_384;

interface PushRequest extends Omit<Dispatcher.DispatchOptions, 'origin'> {
  keepsAnswer: boolean;
  owner: CallOwner | undefined;
}

/**
 * One call of a webhook in flight. It handles undici's events itself, because a stream per answer would cost more than
 * the call. The call ends once, by its answer, an error, its deadline, or a body that is too long. Later events are
 * ignored.
 */
export class PushAttempt implements Dispatcher.DispatchHandler, Caller {
  private readonly queuedAt = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private connection: Connection | undefined;
  private startedAt: number | undefined;
  private firstByteAt: number | undefined;
  private status: number | null = null;
  private retryAfterSeconds: number | undefined;
  private readonly chunks: Buffer[] = [];
  private receivedBytes = 0;
  private ended = false;

  /** @param connections the connections to the origin; undefined for a call that will never be made */
  constructor(
    private readonly request: PushRequest,
    private readonly connections: OriginConnections | undefined,
    private readonly resolve: (result: PushResult) => void,
    totalTimeoutMs: number,
  ) {
    this.deadline = setTimeout(dropAtDeadline, totalTimeoutMs, this);
  }

  get owner(): CallOwner | undefined {
    return this.request.owner;
  }

  hasEnded(): boolean {
    return this.ended;
  }

  start(connection: Connection): void {
    this.connection = connection;
    connection.client.dispatch(this.request, this);
  }

  /** Aborts a call whose deadline passed while it waited for its connection: undici could not abort it before. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.startedAt = performance.now();
    this.controller = controller;
    if (this.ended) this.abort();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.firstByteAt = performance.now();
    this.status = status;
    if (!isSuccess(status))
      this.retryAfterSeconds = parseRetryAfter(headers['retry-after']?.toString(), Date.now());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.request.keepsAnswer || !isSuccess(this.status)) this.chunks.push(chunk);
    if (this.receivedBytes > MAX_ANSWER_BYTES) this.drop('connection_lost');
  }

  onResponseEnd(): void {
    this.end('connection_lost');
    if (this.connection) this.connections?.release(this.connection);
    this.connection = undefined;
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.end(pushError(error, this.startedAt !== undefined));
    if (this.connection) this.connections?.discard(this.connection);
    this.connection = undefined;
  }

  /** Ends the call from this side and aborts its request. */
  drop(error: PushError): void {
    this.end(error);
    this.abort();
  }

  /** As `drop`, for a timer or a signal: an exception in it is then traced to the connection. */
  dropFromOutside(error: PushError): void {
    if (this.connection) actAs(this.connection, () => this.drop(error));
    else this.drop(error);
  }

  private abort(): void {
    this.controller?.abort(new Error('the call has ended'));
  }

  /** @param error reported when no status line was received; otherwise the status decides */
  private end(error: PushError): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.deadline);
    const { resolve } = this;
    const result = this.result(error);
    if (endings.push(() => resolve(result)) === 1) actAsNone(() => setImmediate(deliverEndings));
  }

  private result(error: PushError): PushResult {
    const { status } = this;
    const ok = isSuccess(status);
    const result: PushResult = {
      ok,
      status,
      error: ok ? null : status === null ? error : statusError(status),
      gone: status === 410,
      durationMs: performance.now() - this.queuedAt,
      timings: this.timings(),
      answer: this.answer(),
    };
    if (this.startedAt === undefined) result.unsent = true;
    if (this.retryAfterSeconds !== undefined) result.retryAfterSeconds = this.retryAfterSeconds;
    return result;
  }

  private timings(): CallTimings {
    const { dnsMs, connectMs, tlsMs } = this.connection?.dial ?? NO_DIAL;
    const { startedAt, firstByteAt } = this;
    return {
      dnsMs,
      connectMs,
      tlsMs,
      firstByteMs: startedAt === undefined || firstByteAt === undefined ? null : firstByteAt - startedAt,
    };
  }

  /** Returns the answer as text that Postgres can store. */
  private answer(): string {
    if (this.chunks.length === 0) return '';
    return Buffer.concat(this.chunks).toString('utf8', 0, MAX_ANSWER_BYTES).replaceAll('\0', '');
  }
}

/**
 * Receivers of results, with them. They run together and later, because undici still works on their calls, and outside
 * of the connections, because they may make other calls.
 */
let endings: (() => void)[] = [];

function deliverEndings(): void {
  const due = endings;
  endings = [];
  for (const deliver of due) {
    try {
      deliver();
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

const NO_DIAL = { dnsMs: null, connectMs: null, tlsMs: null };

function dropAtDeadline(attempt: PushAttempt): void {
  attempt.dropFromOutside('timeout');
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function statusError(status: number): PushError {
  return status < 400 ? 'redirect' : 'bad_status';
}

const ERRORS: Readonly<Record<string, PushError>> = {
  ETIMEDOUT: 'timeout',
  ETIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  UND_ERR_CLOSED: 'client_closed',
  UND_ERR_DESTROYED: 'client_closed',
  UND_ERR_INVALID_ARG: 'invalid_call',
  UND_ERR_NOT_SUPPORTED: 'invalid_call',
};

/** Codes of OpenSSL and of Node's certificate checks. */
const TLS_CODE = /TLS|SSL|CERT|CRL|EPROTO|UNABLE_TO_|INVALID_|HOSTNAME_/;

function pushError(error: Error & { code?: string }, connected: boolean): PushError {
  if (error instanceof EndpointForbiddenError) return 'endpoint_forbidden';
  const { code = '' } = error;
  const known = ERRORS[code];
  if (known) return known;
  if (error.name === 'HTTPParserError') return 'bad_answer';
  if (connected) return 'connection_lost';
  return TLS_CODE.test(code) ? 'tls_failed' : 'connect_failed';
}
