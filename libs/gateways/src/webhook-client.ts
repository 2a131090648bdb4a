import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { Client } from 'undici';
import type { Lookup } from './address-guard.ts';
import { EndpointResolver } from './endpoint-resolver.ts';
import { type GuardedConnector, guardedConnector } from './guarded-connector.ts';
import { OriginConnections } from './origin-connections.ts';
import { PushAttempt } from './push-attempt.ts';
import { type PushResult, type WebhookCall, parseDestination } from './webhook-call.ts';

export interface WebhookClientOptions {
  /** Permits loopback and private networks. */
  allowPrivate: boolean;
  /**
   * Maximum concurrent calls to one origin, and four fifths of it for one account. Further calls wait for a connection,
   * served round-robin by account; their timeout includes the wait.
   */
  connectionsPerOrigin: number;
  /** Milliseconds for which a connection gets further calls. */
  maxConnectionAgeMs?: number;
  connectTimeoutMs?: number;
  /** Timeout of the whole call, from `send` to the last byte that is read. */
  totalTimeoutMs?: number;
  /** Resolves host names; by default `resolver.lookup`. */
  lookup?: Lookup;
}

/** As long as the answer of a name server may be cached. */
const MAX_CONNECTION_AGE_MS = 300_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TOTAL_TIMEOUT_MS = 15_000;

const CLIENT_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  headersTimeout: 0, // one deadline bounds the whole call: these two would restart with every byte
  bodyTimeout: 0,
};

/**
 * Calls webhooks at addresses that anybody may have chosen. It dials only public addresses, follows no redirect, speaks
 * HTTP/1.1 with verified TLS, and limits the duration and the size of an answer. Connections are kept for later calls.
 */
export class WebhookClient {
  /** Resolves the names of endpoints, also for checks of an address before it is called. The client closes it. */
  readonly resolver: EndpointResolver;
  private readonly origins = new Map<string, OriginConnections>();
  private readonly connect: GuardedConnector;
  private readonly connectionsPerOrigin: number;
  private readonly maxConnectionAgeMs: number;
  private readonly totalTimeoutMs: number;
  private inFlight = 0;
  private onIdle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(options: WebhookClientOptions) {
    const { allowPrivate, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    this.resolver = new EndpointResolver({ allowPrivate });
    const lookup = options.lookup ?? this.resolver.lookup;
    this.connect = guardedConnector({ allowPrivate, timeoutMs: connectTimeoutMs, lookup });
    this.connectionsPerOrigin = options.connectionsPerOrigin;
    this.maxConnectionAgeMs = options.maxConnectionAgeMs ?? MAX_CONNECTION_AGE_MS;
    this.totalTimeoutMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  }

  /** Makes one call and returns its outcome. Never rejects: a failure of any kind is a result. */
  send(call: WebhookCall): Promise<PushResult> {
    return new Promise((resolve) => this.run(call, resolve));
  }

  /** Makes one call as `send` does, for callers to whom a promise per call costs too much. */
  run(call: WebhookCall, onResult: (result: PushResult) => void): void {
    this.inFlight += 1;
    this.start(call, (result) => {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.onIdle?.();
      onResult(result);
    });
  }

  /** Refuses further calls, and resolves when those in flight have ended. */
  close(): Promise<void> {
    this.closing ??= this.closeWhenIdle();
    return this.closing;
  }

  private async closeWhenIdle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
    for (const connections of this.origins.values()) connections.close();
    this.resolver.close();
  }

  private start(call: WebhookCall, resolve: (result: PushResult) => void): void {
    const { method, url, headers, body, keepsAnswer = false, owner, signal } = call;
    const destination = call.destination ?? parseDestination(url);
    const path = destination?.path ?? '';
    const connections = destination && !this.closing ? this.connectionsTo(destination.origin) : undefined;
    const end = (): void => attempt.dropFromOutside('client_closed');
    const attempt = new PushAttempt(
      { method, path, headers, body, keepsAnswer, owner },
      connections,
      signal ? (result) => (signal.removeEventListener('abort', end), resolve(result)) : resolve,
      call.timeoutMs ?? this.totalTimeoutMs,
    );
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    else if (connections) connections.run(attempt);
    else attempt.drop(destination ? 'client_closed' : 'invalid_call');
  }

  private connectionsTo(origin: string): OriginConnections {
    return getOrInsert(this.origins, origin, () => {
      const forget = (): boolean => this.origins.delete(origin);
      return new OriginConnections(
        (connect) => new Client(origin, { ...CLIENT_OPTIONS, connect }),
        this.connect,
        this.connectionsPerOrigin,
        this.maxConnectionAgeMs,
        forget,
      );
    });
  }
}
