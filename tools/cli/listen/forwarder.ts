import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { CallFailure, callApi } from '../call-api.ts';
import { type Checked, checkSignature } from './check-signature.ts';
import { dropSecret } from './kept-secrets.ts';
import type { Listener } from './listeners.ts';
import type { Notices } from './notices.ts';

/** Deliveries that are forwarded at the same time. */
const AT_ONCE = 20;

/** Milliseconds between two looks for events while there are none. */
const IDLE_MS = 1_000;

/** Milliseconds until the API is asked again after it failed. */
const RETRY_MS = 5_000;

/** Milliseconds that the program has to answer, as an endpoint has. */
const ANSWER_MS = 15_000;
const CONNECT_MS = 2_000;

interface PulledCall {
  id: string;
  messageStatus: string;
  attempt: number;
  headers: Record<string, string>;
  body: string;
}

interface CallResult {
  id: string;
  responseStatus: number | null;
  error?: string;
  answer?: string;
  durationMs: number;
}

/** Forwards the events of one listener to a program, and returns the results to the API. */
export class Forwarder {
  /** Events that the program has accepted. */
  count = 0;
  private readonly listener: Listener;
  private readonly url: string;
  private readonly notices: Notices;
  private isForgotten = false;

  constructor(listener: Listener, url: string, notices: Notices) {
    this.listener = listener;
    this.url = url;
    this.notices = notices;
  }

  /** Runs until the signal. What was pulled by then is forwarded and recorded first. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await this.pass(signal).catch((error: unknown) =>
        error === signal.reason ? 0 : this.survive(error),
      );
      if (pauseMs > 0) await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Forwards what is due. Pulls nothing while the program does not listen, so that no attempt is lost to that. */
  private async pass(signal: AbortSignal): Promise<number> {
    if (!(await listens(this.url))) {
      this.notices.pause(`Nothing listens at ${this.url}. Events wait until something does.`);
      return IDLE_MS;
    }
    const onWait = this.announceWait;
    const pull = { body: { limit: AT_ONCE } };
    const { data } = await callApi<{ data: PulledCall[] }>(this.path('pull'), pull, { signal, onWait });
    this.notices.resume();
    if (data.length === 0) return IDLE_MS;
    const results = await Promise.all(data.map((call) => this.forward(call)));
    await callApi(this.path('results'), { body: { results } }, { onWait });
    return 0;
  }

  /** Prints a wait that is longer than the one between two passes. */
  private readonly announceWait = (failure: string, seconds: number): void => {
    if (seconds * 1_000 > RETRY_MS) this.notices.pause(`${failure}\nTrying again in ${seconds} s.`);
  };

  private async forward(call: PulledCall): Promise<CallResult> {
    const checked = checkSignature(this.listener.secret, call);
    if (checked === 'wrong') this.forgetSecret();
    const startedAt = performance.now();
    const answer = await attempt(this.url, call);
    const durationMs = Math.round(performance.now() - startedAt);
    if (isSuccess(answer.responseStatus)) this.count += 1;
    this.notices.print(lineOf(call, { ...answer, durationMs, checked }));
    return { id: call.id, ...answer, durationMs };
  }

  /** Lets the next run get a secret that signs. */
  private forgetSecret(): void {
    if (this.isForgotten) return;
    this.isForgotten = true;
    dropSecret(this.listener.id, this.listener.secret);
    this.notices.print(
      `The secret of the ${this.listener.channel} listener was replaced, by another run or in the dashboard. Start again for a new one; --name keeps the listeners of several people apart.`,
    );
  }

  /** @throws what no later call can cure */
  private survive(error: unknown): number {
    if (!(error instanceof CallFailure) || !error.isTemporary) throw error;
    this.notices.pause(`${error.message}\nTrying again; no event is lost.`);
    return RETRY_MS;
  }

  private path(action: 'pull' | 'results'): string {
    return `/v1/webhooks/${this.listener.id}/${action}`;
  }
}

type ProgramAnswer = Pick<CallResult, 'responseStatus' | 'error' | 'answer'>;

/** Keeps the beginning of the answer to a failed call. */
const KEPT_CHARACTERS = 1_000;

async function attempt(url: string, { headers, body }: PulledCall): Promise<ProgramAnswer> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const text = await response.text();
    if (isSuccess(response.status)) return { responseStatus: response.status };
    return { responseStatus: response.status, answer: text.slice(0, KEPT_CHARACTERS) };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return { responseStatus: null, error: name === 'TimeoutError' ? 'timeout' : (cause?.code ?? name) };
  }
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Is true when something accepts connections at the host and port of a URL. */
function listens(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  return new Promise((resolve) => {
    const end = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(CONNECT_MS, end(false));
    socket.once('connect', end(true)).once('error', end(false));
  });
}

function lineOf(
  { id, messageStatus, attempt: number }: PulledCall,
  { responseStatus, error, durationMs, checked }: ProgramAnswer & { durationMs: number; checked: Checked },
): string {
  return [
    new Date().toISOString().slice(11, 19),
    (responseStatus === null ? (error ?? '') : String(responseStatus)).padEnd(3),
    `${durationMs} ms`.padStart(8),
    `attempt ${number}`,
    `signature ${checked}`,
    messageStatus.padEnd(9),
    id,
  ].join('  ');
}
