import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';

/** One call as its client saw it. */
export interface Call {
  at: number;
  tookMs: number;
  /** Undefined without a response. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** Reason of a missing response: an error code of Node, or `timeout`. */
  failure: string | undefined;
  messageIds: string[];
}

export interface LoadOptions {
  apiUrl: string;
  apiKey: string;
  callsPerSecond?: number;
  recipientsPerCall?: number;
  /** Returns the request of a call by its index, from 0; by default an SMS. */
  callOf?: (index: number) => { path: string; body: object };
  /** Sends nothing while the API is not ready, as a load balancer does. */
  balanced?: boolean;
}

const CONNECTIONS = 16;
const CALL_TIMEOUT_MS = 20_000;
/** Milliseconds for which a client waits after a failed call. */
const PAUSE_MS = 50;
/** Interval of a load balancer's checks in milliseconds. */
const CHECK_EVERY_MS = 100;
/** A load that is not stopped ends by itself. */
const LONGEST_MS = 300_000;

/** Clients that send over kept-alive connections at a steady rate, and continue after any response. */
export class Load implements AsyncDisposable {
  readonly calls: Call[] = [];
  /** When each message was accepted. */
  readonly accepted = new Map<string, number>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  private readonly clients: Promise<void>[];
  private readonly startedAt = Date.now();
  private stopped = false;
  private isReady = true;
  private sent = 0;
  private nextAt = Date.now();

  constructor(private readonly options: LoadOptions) {
    this.clients = Array.from({ length: CONNECTIONS }, () => this.client());
    if (options.balanced) this.clients.push(this.watch());
  }

  /** Resolves when `count` more messages are accepted. @throws Error when that takes longer than `timeoutMs` */
  async more(messages: number, timeoutMs = 30_000): Promise<void> {
    const wanted = this.accepted.size + messages;
    await waitFor(() => this.accepted.size >= wanted, {
      timeoutMs,
      otherwise: `${messages} more messages were not accepted`,
    });
  }

  /** Makes no more calls, and resolves when the open ones have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.clients);
    this.agent.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Counts the calls without a 2xx, by status or failure. */
  failures(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, failure } of this.calls) {
      if (isAccepted(status)) continue;
      const name = failure ?? String(status);
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Returns the longest time of a call, failed or not. */
  slowestMs(): number {
    return Math.max(...this.calls.map(({ tookMs }) => tookMs));
  }

  private async client(): Promise<void> {
    while (!this.stopped) {
      await this.pace();
      while (!this.isReady && !this.stopped) await delay(CHECK_EVERY_MS);
      if (this.stopped || Date.now() - this.startedAt > LONGEST_MS) return;
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
    await delay(this.nextAt - now);
  }

  private async watch(): Promise<void> {
    while (!this.stopped) {
      this.isReady = await fetch(`${this.options.apiUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      await delay(CHECK_EVERY_MS);
    }
  }

  private async send(index: number): Promise<Call> {
    const { apiUrl, apiKey, recipientsPerCall = 5, callOf } = this.options;
    const { path, body } = callOf?.(index) ?? smsOf(index, recipientsPerCall);
    const at = Date.now();
    try {
      const { status, headers, text } = await post(this.agent, apiUrl + path, apiKey, JSON.stringify(body));
      const messageIds = isAccepted(status) ? messageIdsOf(text) : [];
      return {
        at,
        tookMs: Date.now() - at,
        status,
        retryAfter: headers['retry-after'],
        failure: undefined,
        messageIds,
      };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return {
        at,
        tookMs: Date.now() - at,
        status: undefined,
        retryAfter: undefined,
        failure: code ?? message,
        messageIds: [],
      };
    }
  }
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

function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function messageIdsOf(text: string): string[] {
  return (JSON.parse(text) as { data: { messageId: string }[] }).data.map(({ messageId }) => messageId);
}

interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** Rejects with the error of the connection. Never retries. */
function post(agent: Agent, url: string, apiKey: string, body: string): Promise<Answered> {
  const headers = {
    apikey: apiKey,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
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
