import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import { type Answer, type AnswerBody, InFlight, type Requester } from './in-flight.ts';
import type { MessageCommand, Pdu, PduBody, ShortMessage } from './pdu.ts';
import { STATUS } from './status.ts';
import type { Direction } from './traced-pdu.ts';
import { Wire } from './wire.ts';

/** Time in which the server sends anything after an enquire_link; then it counts as gone. */
const SILENCE_MS = 30_000;
/** Time for requests in flight and handlers to end before a session unbinds. */
const DRAIN_MS = 4_000;
/** Time for the answer to unbind. */
const UNBIND_MS = 1_000;

/** Ids from here on are those of responses. */
const FIRST_RESPONSE = 0x80000000;
/** Requests that have no response (SMPP 3.4, sections 4.1.7 and 4.12): outbind and alert_notification. */
const UNANSWERED: ReadonlySet<number> = new Set([0x0000000b, 0x00000102]);

const NO_BODY: AnswerBody = { messageId: '', tlvs: [], state: 0, errorCode: 0, finalDate: '' };

export interface SessionOptions {
  clock: Clock;
  /** Requests that may wait for a response. May change while the session lasts. */
  window: number;
  /** Time after which a request without response is lost. */
  responseMs: number;
  /** Idle time after which enquire_link is sent. */
  enquireMs: number;
  /** Messages from the server that may be handled concurrently; beyond it, nothing more is read. */
  maxHandlers: number;
  /** Stores a message from the server. It is acknowledged when the promise resolves, and refused when it rejects. */
  receive: (message: ShortMessage) => Promise<void>;
  /** Is called with what is wrong with a message that is refused, because it cannot be read. */
  onUnreadable: (problem: string) => void;
  /** Is called when the window has room again. */
  onRoom: () => void;
  /** Is called with each PDU; undefined while nobody looks. May change while the session lasts. */
  trace?: ((direction: Direction, pdu: Pdu) => void) | undefined;
}

/** Messages from the server that are stored together. */
interface Handled {
  stored: Promise<void>;
  messages: { command: 'deliver_sm' | 'data_sm'; sequence: number }[];
}

/**
 * One SMPP session over an open connection. Each request ends exactly once: answered; unsent, when not one octet of it
 * was handed to the network; or lost, when the server may have it. The session ends with its connection.
 */
export class SmppSession {
  /** Resolves with the reason when the session has ended and every request has its answer. */
  readonly ended: Promise<string>;
  private readonly wire: Wire;
  private readonly inFlight = new InFlight();
  private handling = 0;
  /** The latest messages from the server that are being stored together. */
  private handled: Handled | undefined;
  private isStopping = false;
  private reason: string | undefined;
  private lastAnswerAt: number;
  private enquiredAt: number | undefined;
  private cancelWatch: () => void = () => undefined;
  private onIdle: () => void = () => undefined;
  private readonly resolveEnded: (reason: string) => void;

  constructor(
    socket: Socket,
    private readonly options: SessionOptions,
  ) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.resolveEnded = resolve;
    this.lastAnswerAt = options.clock.now();
    this.wire = new Wire(socket, options.clock, {
      onPdu: (pdu) => {
        this.options.trace?.('received', pdu);
        this.take(pdu);
      },
      onChunk: () => this.afterChunk(),
      onEnd: (reason) => this.end(reason),
      onWrite: () => this.inFlight.markWritten(),
    });
    this.watch(Math.min(options.enquireMs, options.responseMs));
  }

  /** Free places of the window; 0 for a session that ends. */
  get room(): number {
    return this.isStopping ? 0 : this.options.window - this.inFlight.size;
  }

  /** Requests that wait for a response. */
  get busy(): number {
    return this.inFlight.size;
  }

  /** Sends a request and resolves with its answer. @throws UnwritableError */
  async ask(body: PduBody): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.send(body, { done: resolve });
    return promise;
  }

  /**
   * Sends a request, which takes a place of the window until its end.
   *
   * @throws UnwritableError for fields that no PDU can carry; `requester.done` is not called then
   */
  send(body: PduBody, requester: Requester): void {
    if (this.isStopping)
      requester.done({ result: 'unsent', reason: this.reason ?? 'the session is closing' });
    else this.request(body, true, requester);
  }

  /** Stops, waits at most 5 s for what is in flight and being handled, unbinds and closes the connection. */
  async close(reason: string): Promise<void> {
    if (!this.isStopping) {
      this.isStopping = true;
      await this.idle(DRAIN_MS);
      await this.unbind();
      this.end(reason);
    }
    await this.ended;
  }

  /** Ends the session without unbind. What was written and has no answer is lost. */
  end(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.isStopping = true;
    this.cancelWatch();
    this.wire.end();
    this.inFlight.clear(reason);
    this.onIdle();
    this.resolveEnded(reason);
  }

  private async unbind(): Promise<void> {
    if (this.reason !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.request({ command: 'unbind' }, false, { done: () => resolve() });
    const cancel = this.options.clock.after(UNBIND_MS, resolve);
    await promise;
    cancel();
  }

  /** Resolves when nothing is in flight and no handler runs, at the latest after `limitMs`. */
  private async idle(limitMs: number): Promise<void> {
    if (this.isIdle) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onIdle = resolve;
    const cancel = this.options.clock.after(limitMs, resolve);
    await promise;
    cancel();
  }

  private get isIdle(): boolean {
    return this.inFlight.size === 0 && this.handling === 0;
  }

  private request(body: PduBody, counts: boolean, requester: Requester): void {
    const sequence = this.inFlight.add(this.options.clock.now(), counts, requester);
    try {
      this.write({ ...body, sequence, status: STATUS.ok });
    } catch (error) {
      this.inFlight.forget(sequence);
      throw error;
    }
  }

  private write(pdu: Pdu): void {
    this.wire.write(pdu);
    this.options.trace?.('sent', pdu);
  }

  private take(pdu: Pdu): void {
    const { sequence, status } = pdu;
    switch (pdu.command) {
      case 'deliver_sm':
      case 'data_sm':
        return this.handle(pdu.command, sequence, pdu.message);
      case 'submit_sm_resp':
      case 'data_sm_resp':
        return this.settle(sequence, status, { ...NO_BODY, messageId: pdu.messageId, tlvs: pdu.tlvs });
      case 'query_sm_resp':
        return this.settle(sequence, status, { ...NO_BODY, ...pdu });
      case 'generic_nack':
        return this.takeNack(sequence, status);
      case 'enquire_link':
        return this.write({ command: 'enquire_link_resp', sequence, status: STATUS.ok });
      case 'unbind':
        return void this.leave(sequence);
      case 'malformed':
        return this.refuseMalformed(pdu.of, sequence, pdu.problem);
      case 'unknown':
        if (pdu.commandId < FIRST_RESPONSE && !UNANSWERED.has(pdu.commandId)) this.refuse(sequence);
        return;
      case 'submit_sm':
      case 'query_sm':
      case 'bind_transceiver':
      case 'bind_transmitter':
      case 'bind_receiver':
        return this.refuse(sequence);
      case 'bind_transceiver_resp':
      case 'bind_transmitter_resp':
      case 'bind_receiver_resp':
      case 'deliver_sm_resp':
      case 'enquire_link_resp':
      case 'unbind_resp':
        return this.settle(sequence, status, NO_BODY);
    }
  }

  /** An answer that comes twice, or after its time, changes nothing. */
  private settle(sequence: number, status: number, body: AnswerBody): void {
    this.lastAnswerAt = this.wire.lastReceivedAt;
    this.inFlight.settle(sequence, { result: 'answered', status, body });
  }

  /**
   * Of a known request it is the refusal, and of one that has expired it changes nothing. Of any other, the server has
   * lost the boundaries of our PDUs.
   */
  private takeNack(sequence: number, status: number): void {
    const refusal = status === STATUS.ok ? STATUS.invalidCommand : status;
    const isKnown =
      this.inFlight.settle(sequence, { result: 'answered', status: refusal, body: NO_BODY }) ||
      this.inFlight.takeExpired(sequence);
    if (!isKnown) this.end('the server could not read a PDU (generic_nack)');
  }

  private refuse(sequence: number): void {
    this.write({ command: 'generic_nack', sequence, status: STATUS.invalidCommand });
  }

  private refuseMalformed(of: MessageCommand, sequence: number, problem: string): void {
    if (of === 'submit_sm') return this.refuse(sequence);
    this.write(acknowledgement(of, sequence, STATUS.invalidMessageLength));
    this.options.onUnreadable(`${of}: ${problem}`);
  }

  private handle(command: 'deliver_sm' | 'data_sm', sequence: number, message: ShortMessage): void {
    this.handling += 1;
    if (this.handling === this.options.maxHandlers) this.wire.pause();
    const stored = this.options.receive(message);
    if (this.handled?.stored !== stored) this.handled = this.acknowledgeAfter(stored);
    this.handled.messages.push({ command, sequence });
  }

  /** Acknowledges messages when they are stored: those that share a promise with one callback. */
  private acknowledgeAfter(stored: Promise<void>): Handled {
    const handled: Handled = { stored, messages: [] };
    const acknowledge = (status: number): void => {
      if (this.handled === handled) this.handled = undefined;
      for (const { command, sequence } of handled.messages) this.acknowledge(command, sequence, status);
    };
    stored.then(
      () => acknowledge(STATUS.ok),
      () => acknowledge(STATUS.temporaryFault),
    );
    return handled;
  }

  private acknowledge(
    command: Handled['messages'][number]['command'],
    sequence: number,
    status: number,
  ): void {
    if (this.handling === this.options.maxHandlers) this.wire.resume();
    this.handling -= 1;
    this.write(acknowledgement(command, sequence, status));
    if (this.isStopping && this.isIdle) this.onIdle();
  }

  /** Answers unbind once the requests in flight have had a moment for their answers. */
  private async leave(sequence: number): Promise<void> {
    const isFirst = !this.isStopping;
    this.isStopping = true;
    if (isFirst) await this.idle(UNBIND_MS);
    this.write({ command: 'unbind_resp', sequence, status: STATUS.ok });
    this.end('the server ended the session (unbind)');
  }

  private afterChunk(): void {
    this.enquiredAt = undefined;
    if (this.isStopping && this.isIdle) this.onIdle();
    if (this.room > 0) this.options.onRoom();
  }

  /** Looks after `delayMs`, and then as often as needed, for requests without answer and for silence. */
  private watch(delayMs: number): void {
    this.cancelWatch = this.options.clock.after(delayMs, () => {
      this.endStalled();
      if (this.reason === undefined) this.watch(Math.max(1, this.nextCheckAt() - this.options.clock.now()));
    });
  }

  private nextCheckAt(): number {
    const { responseMs, enquireMs } = this.options;
    const silentAt =
      this.enquiredAt === undefined ? this.quietSince + enquireMs : this.enquiredAt + SILENCE_MS;
    const overdueAt = (this.inFlight.oldestAt ?? Number.POSITIVE_INFINITY) + responseMs;
    // a PDU that arrives in the meantime may make the check due earlier
    return Math.min(silentAt, overdueAt, this.options.clock.now() + enquireMs / 4);
  }

  /** The instant since which one of the two sides has been silent. */
  private get quietSince(): number {
    return Math.min(this.wire.lastReceivedAt, this.wire.lastSentAt);
  }

  private endStalled(): void {
    const { responseMs, enquireMs, clock } = this.options;
    const now = clock.now();
    const reason = `no answer within ${responseMs / 1000} s`;
    const oldestAt = this.inFlight.oldestAt ?? now;
    const expired = this.inFlight.expire(now - responseMs, reason);
    if (expired > 0 && this.lastAnswerAt <= oldestAt)
      return this.end(`the server has answered nothing for ${responseMs / 1000} s`);
    if (expired > 0 && this.room > 0) this.options.onRoom();
    if (this.enquiredAt !== undefined && now - this.enquiredAt >= SILENCE_MS)
      return this.end(
        `the server has been silent for ${Math.round((now - this.wire.lastReceivedAt) / 1000)} s`,
      );
    if (this.enquiredAt === undefined && now - this.quietSince >= enquireMs) this.enquire(now);
  }

  private enquire(now: number): void {
    this.enquiredAt = now;
    this.request({ command: 'enquire_link' }, false, { done: () => undefined });
  }
}

function acknowledgement(command: 'deliver_sm' | 'data_sm', sequence: number, status: number): Pdu {
  return { command: `${command}_resp`, sequence, status, messageId: '', tlvs: [] };
}
