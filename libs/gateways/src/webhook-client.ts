import { Agent } from 'undici';
import { type Lookup, systemLookup } from './address-guard.ts';
import { guardedConnector } from './guarded-connector.ts';
import { PushAttempt } from './push-attempt.ts';

/** One call of a webhook. The headers hold what Node can send: see `renderPush`. */
export interface WebhookCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
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
  durationMs: number;
  /** The beginning of a failed answer's body, at most 16 KB; '' after a success. */
  answer: string;
}

export interface WebhookClientOptions {
  /** Permits loopback and private networks. */
  allowPrivate: boolean;
  /** Calls to one origin at a time; more wait for a connection, and their time runs. */
  connectionsPerOrigin: number;
  connectTimeoutMs?: number;
  /** For the whole call, from send to the last byte that is read. */
  totalTimeoutMs?: number;
  lookup?: Lookup;
}

const CONNECT_TIMEOUT_MS = 5_000;
const TOTAL_TIMEOUT_MS = 15_000;
const MAX_HEADER_BYTES = 16_384;

/**
 * Calls webhooks, whose addresses anybody may have chosen: it dials public addresses only, follows no redirect, speaks HTTP/1.1 with
 * verified TLS, and bounds the time and the bytes that a call may take (decisions, Webhooks). Connections are kept for later calls.
 */
export class WebhookClient {
  private readonly agent: Agent;
  private readonly totalTimeoutMs: number;
  private closing: Promise<void> | undefined;

  constructor(options: WebhookClientOptions) {
    const { allowPrivate, connectionsPerOrigin, connectTimeoutMs = CONNECT_TIMEOUT_MS, lookup = systemLookup } = options;
    this.totalTimeoutMs = options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
    this.agent = new Agent({
      connect: guardedConnector({ allowPrivate, timeoutMs: connectTimeoutMs, lookup }),
      connections: connectionsPerOrigin,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0, // one deadline bounds the whole call: these two would restart with every byte
      bodyTimeout: 0,
    });
  }

  /** Makes one call and tells how it ended. Never rejects: a failure of any kind is a result. */
  send(call: WebhookCall): Promise<PushResult> {
    return new Promise((resolve) => {
      const attempt = new PushAttempt(resolve, this.totalTimeoutMs);
      const url = URL.parse(call.url);
      if (url === null) return attempt.drop('invalid_call');
      const { method, headers, body } = call;
      this.agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, attempt);
    });
  }

  /** Takes no more calls and resolves when those under way have ended. */
  close(): Promise<void> {
    this.closing ??= this.agent.close();
    return this.closing;
  }
}
