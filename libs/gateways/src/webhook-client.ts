import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isForbiddenAddress, type Lookup, systemLookup } from './address-guard.ts';

/** One call of a webhook. The headers hold what Node can send: see `renderPush`. */
export interface WebhookCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Why a call failed. `timeout`: not connected, or not answered, in time. `bad_answer`: what came back is not HTTP. */
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

/** How a call ended. `ok` as soon as the status line said 2xx, whatever became of the body. */
export interface PushResult {
  ok: boolean;
  status: number | null;
  error: PushError | null;
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
