import type { BindSlots, Slot } from '../bind-slots.ts';
import type { GatewayState } from '../gateway.ts';
import { Bind, type BindMode } from './bind.ts';
import type { Clock } from './clock.ts';
import type { Peer } from './dial.ts';
import { Pace } from './pace.ts';
import type { BindFields, ShortMessage } from './pdu.ts';
import { UnwritableError } from './pdu-writer.ts';
import type { SessionOptions } from './session.ts';
import { Silence, describeSilentSmsc } from './silence.ts';
import { type LoggedState, StateLog } from './state-log.ts';
import { type QueuedRequest, SubmitQueue } from './submit-queue.ts';
import { tracedPdu } from './traced-pdu.ts';

/** Time between attempts to get a slot that other processes hold, after the first few. */
const SLOT_MS = 2_000;
/** Time to the second attempt: a gateway that is opened again gets the slots that it still holds within moments. */
const FIRST_SLOT_MS = 50;

/** Time for begun messages to be sent to their end when the gateway closes, and between two looks at them. */
const REST_MS = 2_000;
const REST_STEP_MS = 50;

const WAITING = 'Waiting to connect';
const CLOSED = 'The gateway is closed';

export interface LinkOptions {
  clock: Clock;
  random: () => number;
  name: string;
  peer: Peer;
  fields: BindFields;
  mode: BindMode;
  /** Of all processes together. */
  binds: number;
  window: number;
  /** Logs each PDU. */
  trace: boolean;
  enquireMs: number;
  responseMs: number;
  maxHandlers: number;
  ratePerSecond: number | null;
  slots: BindSlots;
  /** This process's share of what all processes share. */
  share: () => number;
  logger: { info: Log; warn: Log; error: Log };
  receive: (message: ShortMessage) => Promise<void>;
  onUnreadable: (problem: string) => void;
}

type Log = (fields: object, event: string) => void;

interface HeldBind {
  slot: Slot;
  bind: Bind;
  closing: Promise<void> | undefined;
}

/**
 * All binds of one gateway in this process, behind one queue. Each bind needs a slot, which all processes lease from
 * each other, so that together they hold as many as the server allows.
 */
export class SmppLink {
  /** Of all binds of this process. */
  readonly silence: Silence;
  private readonly pace: Pace;
  /** Shared by the sessions of all binds. */
  private readonly session: SessionOptions;
  private ratePerSecond: number | null;
  private readonly queue = new SubmitQueue();
  private readonly held: HeldBind[] = [];
  /** True once nothing is sent any more. */
  isClosed = false;
  /** Only further segments of begun messages are sent. */
  private isClosing = false;
  private readonly stateLog = new StateLog((state) => this.logState(state));
  private standby = WAITING;
  private slotMs = FIRST_SLOT_MS;
  private view: GatewayState = {
    status: 'connecting',
    reason: `${WAITING}.`,
    since: new Date(),
    detail: {},
  };
  /** The start of an outage, which further attempts to bind do not end. */
  private downSince: Date | undefined;
  private cancelPump: (() => void) | undefined;
  /** A request that is sent may queue the next one. */
  private isPumping = false;
  private cancelSlots: () => void = () => undefined;
  private seeking: Promise<void>;

  constructor(private readonly options: LinkOptions) {
    this.silence = new Silence(options.clock, () => this.update());
    this.pace = new Pace(options.clock, () => this.limit);
    this.session = { ...options, onRoom: () => this.pump(), trace: this.tracer(options.trace) };
    this.ratePerSecond = options.ratePerSecond;
    this.seeking = this.seek();
  }

  /** True while a bind is up or being made: a request that is queued now has a chance. */
  get isServing(): boolean {
    const { status } = this.view;
    if (this.isClosing) return false;
    return this.silence.phase === 'answering' && (status === 'up' || status === 'connecting');
  }

  /** True while one message may test whether a silent server answers again. */
  get isTestable(): boolean {
    return this.silence.phase === 'testable' && this.isBound;
  }

  private get isBound(): boolean {
    return this.held.some(({ bind }) => bind.state.status === 'up');
  }

  /** Queues a request. Its `done` is called once, unless the caller sets `isCancelled` before it is sent. */
  send(request: QueuedRequest): void {
    if (this.isClosed || (this.isClosing && !request.isContinued))
      return request.done({ result: 'unsent', reason: CLOSED });
    this.queue.push(request);
    this.pump();
  }

  /** Cuts the pace, as the server asks. */
  slowDown(): void {
    this.pace.slowDown();
  }

  /** Applies another pace, window and trace to what is sent from now on. The binds stay. */
  adjust({ ratePerSecond, window, trace }: Pick<LinkOptions, 'ratePerSecond' | 'window' | 'trace'>): void {
    this.ratePerSecond = ratePerSecond;
    this.session.window = window;
    this.session.trace = this.tracer(trace);
    this.cancelPump?.();
    this.cancelPump = undefined;
    this.pump();
  }

  private tracer(isOn: boolean): SessionOptions['trace'] {
    if (!isOn) return undefined;
    const { name: gateway, logger } = this.options;
    return (direction, pdu) => logger.info({ gateway, ...tracedPdu(direction, pdu) }, 'smpp.pdu');
  }

  state(): GatewayState {
    const held = this.held.map(({ bind }) => bind);
    return {
      ...this.view,
      detail: {
        bound: held.filter(({ state }) => state.status === 'up').length,
        held: held.length,
        binds: this.options.binds,
        window: this.session.window,
        inFlight: held.reduce((sum, { busy }) => sum + busy, 0),
        queued: this.queue.size,
        ratePerSecond: round(this.pace.ratePerSecond),
        throttled: this.pace.isReduced,
        failing: held.some(({ isFailing }) => isFailing),
        ...(this.isTestable && { takes: 'one' }),
      },
    };
  }

  /**
   * Ends what is queued as unsent, except for begun messages, which have 2 s to be sent to their end. Then waits at most
   * 5 s for what is in flight, unbinds, and frees the slots.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    this.cancelSlots();
    for (const request of this.queue.drainFirst()) request.done({ result: 'unsent', reason: CLOSED });
    await this.sendRest();
    this.isClosed = true;
    this.cancelPump?.();
    this.silence.close();
    for (const request of this.queue.drain()) request.done({ result: 'unsent', reason: CLOSED });
    await this.seeking;
    await Promise.all(this.held.map((held) => this.give(held)));
    this.update();
  }

  private async sendRest(): Promise<void> {
    const { clock } = this.options;
    const endsAt = clock.now() + REST_MS;
    while (this.hasRest && clock.now() < endsAt) {
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(REST_STEP_MS, resolve);
      await promise;
    }
  }

  /** The answer to a first segment may bring the others of its message. */
  private get hasRest(): boolean {
    return this.isBound && (this.queue.peek() !== undefined || this.held.some(({ bind }) => bind.busy > 0));
  }

  /** The rate of this process: its share of the slots in use. */
  private get limit(): number | null {
    if (this.ratePerSecond === null) return null;
    const [first] = this.held;
    return first
      ? (this.ratePerSecond * this.held.length) / Math.max(this.held.length, first.slot.inUse())
      : 0;
  }

  /** Takes slots up to this process's share, and gives back those above it; then again after a while. */
  private async seek(): Promise<void> {
    const { binds, slots, name, share, clock, random } = this.options;
    const wanted = Math.min(binds, Math.max(1, Math.ceil(binds * share())));
    try {
      while (this.held.length < wanted && !this.isClosing) {
        const slot = await slots.acquire(name, binds);
        if (!slot) break;
        this.take(slot);
      }
      if (this.slotMs === SLOT_MS) this.standby = describeOthers(binds);
    } catch (error) {
      this.standby = 'No bind slot could be leased from the database';
      this.options.logger.warn({ gateway: name, error }, 'smpp.slots_unavailable');
    }
    while (this.open.length > wanted) void this.give(this.open.at(-1)!);
    this.update();
    if (this.isClosing) return;
    this.slotMs = Math.min(SLOT_MS, this.slotMs * 2);
    this.cancelSlots = clock.after(this.slotMs * (1 + random() / 4), () => {
      this.seeking = this.seek();
    });
  }

  private get open(): HeldBind[] {
    return this.held.filter(({ closing }) => closing === undefined);
  }

  private take(slot: Slot): void {
    const bind = new Bind({
      ...this.options,
      session: this.session,
      onChange: () => this.update(),
    });
    const held: HeldBind = { slot, bind, closing: undefined };
    this.held.push(held);
    slot.lost.addEventListener('abort', () => void this.give(held), { once: true });
    if (slot.lost.aborted) void this.give(held);
    this.update();
  }

  /** Closes a bind and frees its slot. Never rejects. */
  private give(held: HeldBind): Promise<void> {
    held.closing ??= held.bind
      .close()
      .then(() => held.slot.release())
      .catch((error) => this.options.logger.warn({ gateway: this.options.name, error }, 'smpp.slot_kept'))
      .then(() => {
        this.held.splice(this.held.indexOf(held), 1);
        this.update();
      });
    return held.closing;
  }

  /** Sends what is queued, as far as the windows and the pace allow. */
  private pump(): void {
    if (this.cancelPump || this.isPumping || !this.mayPump) return;
    this.isPumping = true;
    try {
      this.pumpQueue();
    } finally {
      this.isPumping = false;
    }
  }

  /** False for a silent server, except for the message that tests it. */
  private get mayPump(): boolean {
    const { phase } = this.silence;
    return phase === 'answering' || phase === 'tested';
  }

  private pumpQueue(): void {
    for (let next = this.queue.peek(); next; next = this.queue.peek()) {
      const bind = this.roomiest();
      if (!bind) return;
      const waitMs = this.pace.take(next.segments);
      if (waitMs > 0) return this.pumpAfter(waitMs);
      this.queue.shift(next);
      next.via = bind;
      transmit(bind, next);
    }
  }

  private pumpAfter(waitMs: number): void {
    this.cancelPump = this.options.clock.after(waitMs, () => {
      this.cancelPump = undefined;
      this.pump();
    });
  }

  private roomiest(): Bind | undefined {
    let best: Bind | undefined;
    for (const { bind, closing } of this.held) if (!closing && bind.room > (best?.room ?? 0)) best = bind;
    return best;
  }

  /** Recomputes the state of the gateway from its binds, and logs it when it has changed. */
  private update(): void {
    const { status, reason, isRefused } = this.summary;
    if (status === this.view.status && `${reason}.` === this.view.reason) return;
    this.view = { status, reason: `${reason}.`, since: this.sinceFor(status), detail: {} };
    const isPartial = this.open.some(({ bind }) => bind.state.status !== 'up');
    if (reason !== WAITING) this.stateLog.note({ status, reason: this.view.reason, isPartial, isRefused });
    if (status === 'up') this.pump();
  }

  private logState({ status, reason, isRefused }: LoggedState): void {
    const { logger, name: gateway } = this.options;
    logger[isRefused ? 'error' : 'info']({ gateway, status, reason }, 'smpp.state_changed');
  }

  private sinceFor(status: GatewayState['status']): Date {
    if (status === this.view.status) return this.view.since;
    const now = new Date();
    if (status === 'up') this.downSince = undefined;
    return status === 'down' ? (this.downSince ??= now) : now;
  }

  private get summary(): { status: GatewayState['status']; reason: string; isRefused: boolean } {
    if (this.isClosed) return { status: 'closed', reason: CLOSED, isRefused: false };
    const states = this.open.map(({ bind }) => bind.state);
    if (states.length === 0) return { status: 'down', reason: this.standby, isRefused: false };
    const isUp = states.some(({ status }) => status === 'up');
    if (isUp && this.silence.phase !== 'answering')
      return {
        status: 'down',
        reason: describeSilentSmsc(this.silence, this.options.responseMs),
        isRefused: false,
      };
    // a bind that is not up says more than those that are
    const worst = ['down', 'connecting', 'up'].flatMap((each) =>
      states.filter(({ status }) => status === each),
    )[0]!;
    const best = ['up', 'connecting', 'down'].find((each) => states.some(({ status }) => status === each));
    const reason =
      isUp && worst.status !== 'up'
        ? `${states.filter(({ status }) => status === 'up').length} of ${states.length} binds are up. ${worst.reason}`
        : worst.reason;
    return { status: best as GatewayState['status'], reason, isRefused: worst.isRefused };
  }
}

function describeOthers(binds: number): string {
  const who = binds === 1 ? 'Another worker holds the only bind' : `Other workers hold the ${binds} binds`;
  return `${who} of this gateway; this worker stands by`;
}

function transmit(bind: Bind, request: QueuedRequest): void {
  try {
    bind.send(request.body, request);
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    request.done({ result: 'unwritable', reason: error.message });
  }
}

function round(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10) / 10;
}
