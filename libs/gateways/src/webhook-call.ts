/** The webhook that a call belongs to. */
export interface CallOwner {
  accountId: string;
  webhookId: string;
}

/** One call of a webhook. The headers hold only bytes that Node can send: see `renderPush`. */
export interface WebhookCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** True returns the answer of a success too. */
  keepsAnswer?: boolean;
  /** Named by `findSuspects` when an exception comes from this call. */
  owner?: CallOwner;
}

/** Durations of the steps of a dial; null for a step that was not needed, or not reached. */
export interface Dial {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** Durations of the steps of a call; null for a step that was not needed, as on a kept connection, or not reached. */
export interface CallTimings extends Dial {
  /** From the connected call to the status line. */
  firstByteMs: number | null;
}

/** Reason of a failed call. `timeout`: not connected, or not answered, in time. `bad_answer`: the answer is not HTTP. */
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
  /** True when the endpoint answered 410: it wants no more calls. */
  gone: boolean;
  /** Duration of the whole call, with its wait for a connection. */
  durationMs: number;
  timings: CallTimings;
  /** The beginning of the answer's body, at most 16 KB; of a success only for a call that `keepsAnswer`. */
  answer: string;
}
