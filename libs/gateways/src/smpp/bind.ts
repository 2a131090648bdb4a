import { type AttemptEnd, Backoff } from './backoff.ts';
import { type Clock, timeAfter } from './clock.ts';
import { type Peer, addressOf } from './dial.ts';
import type { Requester } from './in-flight.ts';
import { LoginError, login } from './login.ts';
import type { BindCommand, BindFields, PduBody } from './pdu.ts';
import type { SessionOptions, SmppSession } from './session.ts';

/** The sessions of one bind: one for both directions, or one for each. */
export type BindMode = 'transceiver' | 'pair';

export interface BindOptions {
  clock: Clock;
  random: () => number;
  peer: Peer;
  mode: BindMode;
  fields: BindFields;
  session: SessionOptions;
  /** Is called when the status has changed. */
  onChange: () => void;
}

export interface BindState {
  status: 'up' | 'connecting' | 'down';
  /** One sentence without a full stop. */
  reason: string;
  /** Only a person can change it. */
  isRefused: boolean;
}

/** Keeps one bind up: binds, binds again after each end, with a growing delay, until it is closed. */
export class Bind {
  state: BindState;
  private sessions: SmppSession[] = [];
  private isClosed = false;
  /** Names the failure of the last attempt; empty once it is bound. */
  private failure = '';
  private readonly closing = new AbortController();
  private readonly backoff: Backoff;
  private readonly done: Promise<void>;
  private wake: () => void = () => undefined;

  constructor(private readonly options: BindOptions) {
    this.backoff = new Backoff(options.random);
    this.state = { status: 'connecting', reason: this.connecting, isRefused: false };
    this.done = this.run();
  }

  /** Free places of the window; 0 while it is not bound. */
  get room(): number {
    return this.state.status === 'up' ? (this.sessions[0]?.room ?? 0) : 0;
  }

  /** True while it is not bound, and its last attempt failed. */
  get isFailing(): boolean {
    return this.failure !== '' && this.state.status !== 'up';
  }

  /** Requests that wait for a response. */
  get busy(): number {
    return this.sessions.reduce((sum, session) => sum + session.busy, 0);
  }

  /** Sends a request; see SmppSession. Only with room. @throws UnwritableError */
  send(body: PduBody, requester: Requester): void {
    const [transmitter] = this.sessions;
    if (transmitter) transmitter.send(body, requester);
    else requester.done({ result: 'unsent', reason: this.state.reason });
  }

  /** Ends the sessions gently, so that the bind is made again. */
  renew(reason: string): void {
    void this.leave(reason);
  }

  /** Waits at most 5 s for what is in flight, unbinds, and stays away. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.closing.abort();
    this.wake();
    await this.leave('Signalbox closed the session');
    await this.done;
  }

  private async leave(reason: string): Promise<void> {
    await Promise.all(this.sessions.map((session) => session.close(reason)));
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      const end = await this.attempt();
      if (this.isClosed) break;
      await this.pause(end);
    }
    this.change('down', 'closed', false);
  }

  /** Binds and resolves when the sessions have ended, or none came about. */
  private async attempt(): Promise<AttemptEnd> {
    this.change('connecting', this.connecting, false);
    try {
      await this.open();
    } catch (error) {
      await this.leave('the other session of the pair could not bind');
      this.sessions = [];
      return error instanceof LoginError ? error.end : { kind: 'failed', reason: `${error}`, boundMs: 0 };
    }
    const boundAt = this.options.clock.now();
    this.failure = '';
    this.change('up', this.bound, false);
    const reason = await Promise.race(this.sessions.map(({ ended }) => ended));
    this.change('connecting', capitalized(reason), false);
    await this.leave('the other session of the pair has ended');
    this.sessions = [];
    return { kind: 'failed', reason, boundMs: this.options.clock.now() - boundAt };
  }

  private async open(): Promise<void> {
    for (const command of COMMANDS[this.options.mode]) {
      const { peer, fields, session } = this.options;
      this.sessions.push(await login(peer, { command, ...fields }, session, this.closing.signal));
    }
  }

  private async pause(end: AttemptEnd): Promise<void> {
    const delayMs = this.backoff.next(end);
    this.failure = `; the last attempt failed: ${end.reason}`;
    const reason = `${capitalized(end.reason)}; next attempt at ${timeAfter(delayMs)}`;
    this.change('down', reason, end.kind === 'refused');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const cancel = this.options.clock.after(delayMs, resolve);
    await promise;
    cancel();
  }

  private change(status: BindState['status'], reason: string, isRefused: boolean): void {
    this.state = { status, reason, isRefused };
    this.options.onChange();
  }

  private get connecting(): string {
    return `Connecting to ${addressOf(this.options.peer)}${this.failure}`;
  }

  private get bound(): string {
    const { peer, fields, mode } = this.options;
    return `Bound to ${addressOf(peer)} as ${fields.systemId} (${mode})`;
  }
}

/** The first one sends. */
const COMMANDS: Record<BindMode, readonly BindCommand[]> = {
  transceiver: ['bind_transceiver'],
  pair: ['bind_transmitter', 'bind_receiver'],
};

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
