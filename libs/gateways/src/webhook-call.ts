/** The webhook that a call belongs to. */
interface WebhookOwner {
  accountId: string;
  webhookId: string;
}

/** The gateway that a call belongs to. */
interface GatewayOwner {
  gateway: string;
  accountId?: undefined;
  webhookId?: undefined;
}

export type CallOwner = WebhookOwner | GatewayOwner;

/** A parsed URL of calls. */
export interface Destination {
  origin: string;
  /** Path and query. */
  path: string;
}

/** Parses the URL of calls; undefined when it is not http or https. */
export function parseDestination(url: string): Destination | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return { origin: parsed.origin, path: parsed.pathname + parsed.search };
}

/** One call of a webhook. `renderPush` makes headers that Node can send. */
export interface WebhookCall {
  method: 'GET' | 'POST';
  url: string;
  /** The parsed `url`, for a caller that makes many calls to it. */
  destination?: Destination | undefined;
  /** By name, or as alternating names and values. */
  headers: Record<string, string> | string[];
  body?: string | undefined;
  /** Keeps the answer to a successful call too, for a person who tests a webhook. */
  keepsAnswer?: boolean;
  /** Named by `findSuspects` when an exception comes from this call. */
  owner?: CallOwner;
  /** Timeout of this call; by default that of the client. */
  timeoutMs?: number;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** Milliseconds in each phase of a dial; null for a phase that it skipped or never reached. */
export interface Dial {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/**
 * Milliseconds in each phase of a call; null for a phase that it skipped, as on an open connection, or never reached.
 */
export interface CallTimings extends Dial {
  /** From sending the request to receiving the status line. */
  firstByteMs: number | null;
}

/** Reason of a failed call. `timeout`: no connection or no answer in time. `bad_answer`: the answer is not HTTP. */
export type PushError =
  | 'bad_answer'
  | 'bad_status'
  | 'client_closed'
  | 'connect_failed'
  | 'connection_lost'
  | 'endpoint_forbidden'
  | 'headers_too_large'
  | 'invalid_call'
  | 'redirect'
  | 'timeout'
  | 'tls_failed';

/** The outcome of a call. `ok` depends on the status line alone: a 2xx whose body fails is a success. */
export interface PushResult {
  ok: boolean;
  status: number | null;
  /** Reason of the failure, a `PushError`; null after a success. */
  error: string | null;
  /** The delay that a failed answer requested, 0 to 24 hours. */
  retryAfterSeconds?: number;
  /** True when the endpoint returned 410: it wants no more calls. */
  gone: boolean;
  /** Set when nothing of the request was written. */
  unsent?: true;
  /** Duration of the whole call, including its wait for a connection. */
  durationMs: number;
  timings: CallTimings;
  /** First 16 KB of the answer's body; empty after a success, unless the call has `keepsAnswer`. */
  answer: string;
}
