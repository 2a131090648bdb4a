import type { GatewayState } from '../gateway.ts';

/** Answers in a row that may be missing before the gateway is left alone. */
const MAX_SILENT = 5;
const SILENCE_WAIT_MS = 5_000;

/** The view that a process has of an HTTP gateway: its last answer, and the time until which it is left alone. */
export class Health {
  private status: GatewayState['status'] = 'up';
  private reason: string;
  private since: Date;
  private heldUntil = 0;
  private silent = 0;
  private lastStatus: number | null = null;
  private lastAnswerAt: string | null = null;

  constructor(
    private readonly origin: string,
    private readonly now: () => number,
  ) {
    this.reason = `Nothing has been sent to ${origin} yet.`;
    this.since = new Date(now());
  }

  /** Milliseconds for which nothing may be sent; 0 when it may. */
  get heldMs(): number {
    return Math.max(this.heldUntil - this.now(), 0);
  }

  get lastReason(): string {
    return this.reason;
  }

  /** Records an answer that says nothing bad about the gateway as a whole. */
  noteAnswer(status: number): void {
    this.silent = 0;
    this.lastStatus = status;
    this.lastAnswerAt = new Date(this.now()).toISOString();
    this.move('up', `The address ${this.origin} answers; the last status was ${status}.`);
  }

  /** Sends nothing for a while: the gateway asked to send slower. It stays up. */
  hold(ms: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.now() + ms);
  }

  /** Records a fault that an operator has to repair, and sends nothing for a while. */
  noteDown(reason: string, ms: number): void {
    this.hold(ms);
    this.move('down', reason);
  }

  /** Records a request without an answer. After several in a row nothing is sent for a while. */
  noteSilence(reason: string): void {
    this.silent += 1;
    if (this.silent >= MAX_SILENT) this.noteUnreachable(reason, SILENCE_WAIT_MS);
  }

  /** Records a gateway that cannot be reached. */
  noteUnreachable(reason: string, ms: number): void {
    this.hold(ms);
    this.move('connecting', reason);
  }

  noteClosed(): void {
    this.move('closed', 'The gateway is closed in this process.');
  }

  state(inFlight: number): GatewayState {
    const throttledUntil = this.heldMs > 0 ? new Date(this.heldUntil).toISOString() : null;
    const { status, reason, since, lastStatus, lastAnswerAt } = this;
    return { status, reason, since, detail: { inFlight, lastStatus, lastAnswerAt, throttledUntil } };
  }

  private move(status: GatewayState['status'], reason: string): void {
    if (this.status === 'closed') return;
    if (this.status !== status) this.since = new Date(this.now());
    this.status = status;
    this.reason = reason;
  }
}
