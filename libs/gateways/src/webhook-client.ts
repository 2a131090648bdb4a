import { Client } from 'undici';
import type { Lookup } from './address-guard.ts';
import { EndpointResolver } from './endpoint-resolver.ts';
import { type Dial, type GuardedConnector, guardedConnector } from './guarded-connector.ts';
import { type CallOwner, OriginConnections } from './origin-connections.ts';
import { PushAttempt } from './push-attempt.ts';

/** One call of a webhook. The headers hold what Node can send: see `renderPush`. */
export interface WebhookCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Whether a person wants to see the answer to a success too. */
  keepsAnswer?: boolean;
  /** Named by `findSuspects` when an exception comes from this call. */
  owner?: CallOwner;
}

/** Where the time of a call went; null for what it did not need, as with a connection that was there, or did not reach. */
export interface CallTimings extends Dial {
  /** From the connected call to the status line. */
  firstByteMs: number | null;
}

/** How a call ended. `ok` as soon as the status line said 2xx, whatever became of the body. */
export interface PushResult {
  ok: boolean;
  status: number | null;
  /** Why it failed, one of `PushError`; null after a success. */
  error: string | null;
  /** What a failed answer asked for, 0 to 24 hours. */
  retryAfterSeconds?: number;
  /** The end point answered 410: it wants no more calls. */
  gone: boolean;
  /** Of the whole call, with what it waited for a connection. */
  durationMs: number;
  timings: CallTimings;
  /** The beginning of the answer's body, at most 16 KB; of a success only for a call that asks for it. */
  answer: string;
}

export interface WebhookClientOptions {
  /** Permits loopback and private networks. */
  allowPrivate: boolean;
  /**
   * Concurrent calls to one origin. One account makes at most four fifths of them. Further calls wait for a connection,
   * served round-robin by account, and their time runs.
   */
  connectionsPerOrigin: number;
  connectTimeoutMs?: number;
  /** For the whole call, from send to the last byte that is read. */
  totalTimeoutMs?: number;
  /** By default that of `resolver`. */
  lookup?: Lookup;
}

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
 * Calls webhooks, whose addresses anybody may have chosen: it dials public addresses only, follows no redirect, speaks HTTP/1.1 with
 * verified TLS, and bounds the time and the bytes that a call may take (decisions, Webhooks). Connections are kept for later calls.
 */
export class WebhookClient {
  /** Resolves the names of the endpoints; a check of an endpoint may use it too. It is closed with the client. */
  readonly resolver: EndpointResolver;
  private readonly origins = new Map<string, OriginConnections>();
  private readonly connect: GuardedConnector;
  private readonly connectionsPerOrigin: number;
  private readonly totalTimeoutMs: number;
  private underWay = 0;
  private onIdle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(options: WebhookClientOptions) {
    const { allowPrivate, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    this.resolver = new EndpointResolver({ allowPrivate });
    const lookup = options.lookup ?? this.resolver.lookup;
    this.connect = guardedConnector({ allowPrivate, timeoutMs: connectTimeoutMs, lookup });
    this.connectionsPerOrigin = options.connectionsPerOrigin;
    this.totalTimeoutMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  }

  /** Makes one call and tells how it ended. Never rejects: a failure of any kind is a result. */
  send(call: WebhookCall): Promise<PushResult> {
    this.underWay += 1;
    return new Promise((resolve) =>
      this.start(call, (result) => {
        this.underWay -= 1;
        if (this.underWay === 0) this.onIdle?.();
        resolve(result);
      }),
    );
  }

  /** Takes no more calls and resolves when those under way have ended. */
  close(): Promise<void> {
    this.closing ??= this.closeWhenIdle();
    return this.closing;
  }

  private async closeWhenIdle(): Promise<void> {
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
    for (const connections of this.origins.values()) connections.close();
    this.resolver.close();
  }

  private start(
    { url, keepsAnswer = false, owner, ...rest }: WebhookCall,
    resolve: (result: PushResult) => void,
  ): void {
    const parsed = URL.parse(url);
    const isHttp = parsed !== null && /^https?:$/.test(parsed.protocol);
    const path = isHttp ? parsed.pathname + parsed.search : '';
    const connections = isHttp && !this.closing ? this.connectionsTo(parsed.origin) : undefined;
    const attempt = new PushAttempt(
      { ...rest, path, keepsAnswer, owner },
      connections,
      resolve,
      this.totalTimeoutMs,
    );
    if (connections) connections.run(attempt);
    else attempt.drop(isHttp ? 'client_closed' : 'invalid_call');
  }

  private connectionsTo(origin: string): OriginConnections {
    const known = this.origins.get(origin);
    if (known) return known;
    const connections = new OriginConnections(
      (connect) => new Client(origin, { ...CLIENT_OPTIONS, connect }),
      this.connect,
      this.connectionsPerOrigin,
      () => this.origins.delete(origin),
    );
    this.origins.set(origin, connections);
    return connections;
  }
}
