import type { GatewayState } from '../gateway.ts';
import { describeServerError } from './failures.ts';

/** A change of the state. */
export interface Moved extends Pick<GatewayState, 'status' | 'reason'> {
  /** Only a person can end it. */
  isFault: boolean;
}

/** Answers in a row that may be missing, or be 5xx, before a gateway that has answered is left alone. */
const MAX_SILENT = 5;
const SILENCE_WAIT_MS = 5_000;

const PROBE_WAIT_MS = 1_000;

/**
 * The view that a process has of an HTTP gateway: its last answer, and the time until which it is left alone. It is
 * `connecting` until a call has shown whether the vendor answers. A vendor in trouble is `down`, and tried again after
 * that time with one message, on which the others wait.
 */
export class Health {
  private status: GatewayState['status'] = 'connecting';
  private reason: string;
  private since = new Date();
  private heldUntil = 0;
  private silent = 0;
  private isProbed = false;
  private isFault = false;
  private lastStatus: number | null = null;
  private lastAnswerAt: string | null = null;

  /** @param now a clock in milliseconds that never steps */
  constructor(
    private readonly origin: string,
    private readonly now: () => number,
    private readonly onMoved: (moved: Moved) => void = () => undefined,
  ) {
    this.reason = `Nothing has been sent to ${origin} yet: the first message shows whether it answers.`;
  }

  /**
   * Begins a call, unless it returns the milliseconds for which nothing may be sent. One that tests a gateway that is down
   * is a probe, which the caller ends by `endProbe`.
   */
  begin(): { heldMs: number; isProbe: boolean } {
    if (this.status === 'closed') return { heldMs: PROBE_WAIT_MS, isProbe: false };
    if (this.heldMs > 0 || this.status !== 'down') return { heldMs: this.heldMs, isProbe: false };
    if (this.isProbed) return { heldMs: PROBE_WAIT_MS, isProbe: false };
    this.isProbed = true;
    return { heldMs: 0, isProbe: true };
  }

  endProbe(): void {
    this.isProbed = false;
  }

  private get heldMs(): number {
    return Math.max(this.heldUntil - this.now(), 0);
  }

  get lastReason(): string {
    return this.reason;
  }

  /** Records an answer that says nothing bad about the gateway as a whole. */
  noteAnswer(status: number): void {
    this.silent = 0;
    this.keepLast(status);
    this.move('up', `The address ${this.origin} answers; the last status was ${status}.`);
  }

  /** Records a 5xx that does not say whether the message was taken. It counts as a request without an answer. */
  noteServerError(status: number): void {
    this.keepLast(status);
    this.noteSilence(describeServerError(this.origin, status));
  }

  /** Sends nothing for a while: the gateway asked to send slower. It stays up. */
  hold(ms: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.now() + ms);
  }

  /** Records a fault that an operator has to repair, and sends nothing for a while. */
  noteDown(reason: string, ms: number): void {
    this.hold(ms);
    this.move('down', reason, true);
  }

  /**
   * Records a request without an answer. After several in a row, or the first one ever, nothing is sent for a while.
   */
  noteSilence(reason: string): void {
    this.silent += 1;
    if (this.status !== 'up' || this.silent >= MAX_SILENT) this.noteUnreachable(reason, SILENCE_WAIT_MS);
  }

  /** Records a gateway that cannot be reached. */
  noteUnreachable(reason: string, ms: number): void {
    this.hold(ms);
    this.move('down', reason);
  }

  noteClosed(): void {
    this.move('closed', 'The gateway is closed in this process.');
  }

  state(inFlight: number): GatewayState {
    const { heldMs, since, lastStatus, lastAnswerAt } = this;
    const throttledUntil = heldMs > 0 ? new Date(Date.now() + heldMs).toISOString() : null;
    const detail = { inFlight, lastStatus, lastAnswerAt, throttledUntil };
    if (this.status === 'connecting')
      return { status: 'connecting', reason: this.reason, since, detail: { ...detail, takes: 'any' } };
    if (this.status !== 'down' || heldMs > 0 || this.isProbed)
      return { status: this.status, reason: this.reason, since, detail };
    const reason = `${this.reason} The next message tries it again.`;
    return { status: 'down', reason, since, detail: { ...detail, takes: 'one' } };
  }

  private keepLast(status: number): void {
    this.lastStatus = status;
    this.lastAnswerAt = new Date().toISOString();
  }

  /** A fault is a move, also of a gateway that was down for a reason that ends by itself. */
  private move(status: GatewayState['status'], reason: string, isFault = false): void {
    if (this.status === 'closed') return;
    const isMoved = this.status !== status;
    const isWorse = isFault && !this.isFault;
    if (isMoved) this.since = new Date();
    this.status = status;
    this.reason = reason;
    this.isFault = status === 'down' && (isFault || this.isFault);
    if (isMoved || isWorse) this.onMoved({ status, reason, isFault });
  }
}
