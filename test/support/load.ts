import { setMaxListeners } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';

/** One call as its client saw it. */
export interface Call {
  /** Number of the call, from 0. */
  index: number;
  at: number;
  tookMs: number;
  /** Undefined without a response. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** Reason of a missing response: an error code of Node, or `timeout`. */
  failure: string | undefined;
  /** Ids of the accepted messages, or of the accepted verification. */
  messageIds: string[];
}

export interface LoadOptions {
  /** One address, or those of several api processes: each call goes to the next one. */
  apiUrl: string | readonly string[];
  apiKey: string;
  callsPerSecond?: number;
  recipientsPerCall?: number;
  /** Returns the request of a call by its index, from 0; by default an SMS. */
  callOf?: (index: number) => { path: string; body: object };
  /** Sends nothing to an address that is not ready, as a load balancer does. */
  balanced?: boolean;
  /** Milliseconds after which the load ends by itself; 300,000 by default. */
  longestMs?: number;
}

const CONNECTIONS = 16;
const CALL_TIMEOUT_MS = 20_000;
/** Milliseconds for which a client waits after a failed call. */
const PAUSE_MS = 50;
/** Interval of a load balancer's checks in milliseconds. */
const CHECK_EVERY_MS = 100;
const LONGEST_MS = 300_000;

/** Clients that send over kept-alive connections at a steady rate, and continue after any response. */
export class Load implements AsyncDisposable {
  readonly calls: Call[] = [];
  /** When each message was accepted. */
  readonly accepted = new Map<string, number>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  private readonly clients: Promise<void>[];
  private readonly startedAt = Date.now();
  private readonly stopping = new AbortController();
  /** The addresses that take calls. */
  private ready: readonly string[];
  private sent = 0;
  private nextAt = Date.now();
  // Node runs this file as it is, and knows no parameter properties.
  private readonly options: LoadOptions;

  constructor(options: LoadOptions) {
    this.options = options;
    this.ready = this.urls();
    setMaxListeners(CONNECTIONS, this.stopping.signal);
    this.clients = Array.from({ length: CONNECTIONS }, () => this.client());
    if (options.balanced) this.clients.push(this.watch());
  }

  /** Resolves when `count` more messages are accepted. @throws Error when that takes longer than `timeoutMs` */
  more(messages: number, timeoutMs = 120_000): Promise<void> {
    return this.until(this.accepted.size + messages, timeoutMs);
  }

  /** Resolves when `count` messages in all are accepted. @throws Error when that takes longer than `timeoutMs` */
  async until(count: number, timeoutMs: number): Promise<void> {
    await waitFor(() => this.accepted.size >= count, {
      timeoutMs,
      otherwise: () => `${this.accepted.size} instead of ${count} messages were accepted`,
    });
  }

  /** Makes no more calls, and resolves when the open ones have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.clients);
    this.agent.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** The 503 responses without a Retry-After in seconds. */
  impatient(): Call[] {
    return this.calls.filter(({ status, retryAfter }) => status === 503 && !/^\d+$/.test(retryAfter ?? ''));
  }

  /** Counts the calls without a 2xx, by status or failure. */
  failures(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const call of this.calls) {
      if (isAccepted(call.status)) continue;
      const name = outcomeOf(call);
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Returns the longest time of a call, failed or not. */
  slowestMs(): number {
    return Math.max(0, ...Object.values(this.slowest()));
  }

  /** Returns the longest time of a call in milliseconds, by status or failure. */
  slowest(): Record<string, number> {
    const slowest: Record<string, number> = {};
    for (const call of this.calls) {
      const name = outcomeOf(call);
      slowest[name] = Math.max(slowest[name] ?? 0, call.tookMs);
    }
    return slowest;
  }

  private async client(): Promise<void> {
    const { longestMs = LONGEST_MS } = this.options;
    while (!this.stopping.signal.aborted) {
      await this.pace();
      while (this.ready.length === 0 && !this.stopping.signal.aborted) await delay(CHECK_EVERY_MS);
      if (this.stopping.signal.aborted || Date.now() - this.startedAt > longestMs) return;
      const call = await this.send(this.sent++);
      this.calls.push(call);
      for (const id of call.messageIds) this.accepted.set(id, call.at + call.tookMs);
      if (!isAccepted(call.status)) await delay(PAUSE_MS);
    }
  }

  /** Waits for the next call. Calls missed during slow ones are not made up for. */
  private async pace(): Promise<void> {
    const { callsPerSecond = 25 } = this.options;
    const now = Date.now();
    this.nextAt = Math.max(this.nextAt, now) + 1000 / callsPerSecond;
    await delay(this.nextAt - now, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const answers = await Promise.all(this.urls().map(isReady));
      this.ready = this.urls().filter((_, i) => answers[i]);
      await delay(CHECK_EVERY_MS);
    }
  }

  private urls(): readonly string[] {
    const { apiUrl } = this.options;
    return typeof apiUrl === 'string' ? [apiUrl] : apiUrl;
  }

  private async send(index: number): Promise<Call> {
    const { apiKey, recipientsPerCall = 5, callOf } = this.options;
    const apiUrl = this.ready[index % this.ready.length] ?? '';
    const { path, body } = callOf?.(index) ?? smsOf(index, recipientsPerCall);
    const at = Date.now();
    const startedAt = performance.now();
    try {
      const { status, headers, text } = await post(this.agent, apiUrl + path, apiKey, JSON.stringify(body));
      const messageIds = isAccepted(status) ? messageIdsOf(text) : [];
      return {
        index,
        at,
        tookMs: performance.now() - startedAt,
        status,
        retryAfter: headers['retry-after'],
        failure: undefined,
        messageIds,
      };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return {
        index,
        at,
        tookMs: performance.now() - startedAt,
        status: undefined,
        retryAfter: undefined,
        failure: code ?? message,
        messageIds: [],
      };
    }
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function smsOf(index: number, recipients: number): { path: string; body: object } {
  const to = Array.from({ length: recipients }, (_, i) => recipient(index * recipients + i));
  return { path: '/v1/sms', body: { sender: 'SIGNALBX', to, text: 'Hello', type: 'TRANS' } };
}

/**
 * One in twenty submits times out after its acceptance (script 0009) and delays its batch, so that a kill finds some in
 * flight.
 */
export function recipient(index: number): string {
  return `9198${String(index).padStart(6, '0')}${index % 20 === 0 ? '0009' : '1234'}`;
}

function outcomeOf({ status, failure }: Call): string {
  return failure ?? String(status);
}

function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function messageIdsOf(text: string): string[] {
  const { data } = JSON.parse(text) as { data: string | { messageId: string }[] };
  return typeof data === 'string' ? [data] : data.map(({ messageId }) => messageId);
}

export interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** Rejects with the error of the connection. Never retries. */
export function post(
  agent: Agent,
  url: string,
  apiKey: string,
  body: string,
  more: Record<string, string> = {},
): Promise<Answered> {
  const headers = {
    apikey: apiKey,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method: 'POST', headers, timeout: CALL_TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', reject);
    call.end(body);
  });
}

/** Returns the longest gap between consecutive times. */
export function longestGap(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.reduce((longest, at, i) => Math.max(longest, at - (sorted[i - 1] ?? at)), 0);
}
