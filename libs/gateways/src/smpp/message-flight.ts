import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import { type GatewayMessageId, MAX_GATEWAY_ID } from '../gateway-ids.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import type { AnswerBody } from './in-flight.ts';
import type { PduBody, ShortMessage } from './pdu.ts';
import { UnwritableError } from './pdu-writer.ts';
import { describeStatus, statusCode } from './status.ts';
import type { StatusOutcome } from './status-table.ts';
import type { SubmitContext } from './submit-context.ts';
import { SegmentRequest } from './segment-request.ts';
import type { LinkAnswer } from './submit-queue.ts';
import { TooLongError, segmentsOf } from './text/segments.ts';

/** Delay of a message that the gateway could not take at its pace. */
const THROTTLED_MS = 1_000;
/** Delay of a message that met a fault of the gateway; after three faults it is refused. */
const FAULT_MS = 30_000;
const MAX_FAULTS = 2;
/** Delay of a segment that met a fault after another segment of its message was taken. */
const SEGMENT_FAULT_MS = 1_000;

/** Instants until which a message may try, by the clock of the gateway. */
export interface FlightLimits {
  /** For a message of which nothing is written. */
  unwrittenAt: number;
  deadlineAt: number;
}

/** The batch of a message. */
export interface FlightBatch {
  settle(position: number, outcome: SubmitOutcome): void;
  /** Is called when a message has left the queue. */
  startNext(): void;
}

/**
 * One message on its way to the SMSC. Its first segment goes alone, so that a refusal costs one segment; the others
 * follow together. Once a segment may have been taken, the message is never throttled: a segment is repeated alone. A
 * message of which some segments were taken and others certainly not has failed; with a segment that has no answer, it
 * is unconfirmed.
 */
export class MessageFlight {
  /** Empty until the first one is sent. */
  private segments: ShortMessage[] = [];
  private readonly ids: (string | undefined)[] = [];
  private readonly requests: (SegmentRequest | undefined)[] = [];
  private taken = 0;
  /** Segments that were written, and have no answer in time. */
  private lost = 0;
  /** Segments that are queued, wait to be repeated, or have no answer yet. */
  private open = 0;
  private reason = 'The gateway had no room';
  /** Of a segment that was refused after the deadline. */
  private errCode = '006';
  /** Its first segment waits to be sent. */
  private isQueued = false;
  private outcome: SubmitOutcome['result'] | undefined;
  /** Rows are handed over for segments that were taken. */
  private isStored = false;

  /** @param position the place of the message in its batch */
  constructor(
    readonly message: OutgoingSms,
    private readonly position: number,
    private readonly limits: FlightLimits,
    private readonly context: SubmitContext,
    private readonly batch: FlightBatch,
  ) {}

  /** Queues the first segment. */
  start(): void {
    this.isQueued = true;
    this.send(0);
  }

  /** Segments that the server sends for one of ours: it splits a payload. */
  get paced(): number {
    return this.context.encoding.longMessages === 'payload' ? this.message.segments : 1;
  }

  /**
   * Builds a segment, the first time all of them: a message that waits for room holds none.
   *
   * @throws UnwritableError
   */
  bodyOf(index: number): PduBody {
    if (this.segments.length === 0) {
      this.leave();
      this.segments = this.encode();
    }
    return { command: 'submit_sm', message: this.segments[index]! };
  }

  private encode(): ShortMessage[] {
    const { encoding, references } = this.context;
    try {
      return segmentsOf(this.message, encoding, references.next(this.message.recipient));
    } catch (error) {
      const reason = error instanceof TooLongError ? error.message : 'The text cannot be encoded';
      throw new UnwritableError(reason, { cause: error });
    }
  }

  /** Ends the message if nothing of it is written. */
  endUnwritten(): void {
    if (!this.isSettled && !this.mayBeTaken) this.finish(this.throttled());
  }

  /** Ends the message with what is known. Answers that come later are still used. */
  end(): void {
    if (this.isSettled) return;
    if (!this.mayBeTaken) return this.finish(this.throttled());
    this.cancelQueued();
    const isStoring = this.taken === this.segments.length;
    if (this.open > 0 || isStoring) this.finish(this.unconfirmed());
    else this.conclude();
  }

  private send(index: number): void {
    const request = new SegmentRequest(this, index);
    this.open += 1;
    this.requests[index] = request;
    this.context.link.send(request);
  }

  /** Takes the end of the request of a segment. */
  take(index: number, answer: LinkAnswer): void {
    this.open -= 1;
    const request = this.requests[index];
    this.requests[index] = undefined;
    switch (answer.result) {
      case 'unwritable':
        return this.refuse('013', answer.reason);
      case 'unsent':
        this.reason = answer.reason;
        return this.repeat(index, 0);
      case 'lost':
        if (answer.sentAt !== undefined) this.context.link.silence.noteTimeout(answer.sentAt);
        this.lost += 1;
        return this.conclude();
      case 'answered':
        this.context.link.silence.noteAnswer();
        return this.takeStatus(index, request, answer.status, answer.body);
    }
  }

  private takeStatus(
    index: number,
    request: SegmentRequest | undefined,
    status: number,
    { messageId }: AnswerBody,
  ): void {
    const outcome = this.context.statuses.find(status, this.message.dlt !== null);
    if (outcome.result === 'accepted') return this.accept(index, messageId);
    this.reason = `The SMSC answered ${describeStatus(status)}`;
    switch (outcome.result) {
      case 'throttled':
        this.context.link.slowDown();
        return this.repeat(index, 0);
      case 'unbound':
        request?.via?.renew(this.reason);
        return this.repeat(index, SEGMENT_FAULT_MS);
      case 'faulty':
        return this.meetFault(index, status);
      case 'rejected':
        return this.takeRefusal(outcome, status);
    }
  }

  private accept(index: number, id: string): void {
    this.ids[index] = toStorableText(id).slice(0, MAX_GATEWAY_ID);
    this.taken += 1;
    if (index === 0 && !this.isSettled)
      for (let next = 1; next < this.segments.length; next += 1) this.send(next);
    this.conclude();
  }

  private takeRefusal(outcome: StatusOutcome & { result: 'rejected' }, status: number): void {
    if (outcome.isOurFault) this.context.alarm(status);
    if (this.isSettled) {
      this.errCode = outcome.errCode;
      return this.conclude();
    }
    const tryOther = outcome.tryOther && this.taken === 0;
    this.refuse(outcome.errCode, this.reason, {
      gatewayCode: statusCode(status),
      ...(tryOther && { tryOther }),
    });
  }

  private meetFault(index: number, status: number): void {
    if (this.isSettled || this.taken > 0) return this.repeat(index, SEGMENT_FAULT_MS);
    const { messageId } = this.message;
    if (this.context.faults.count(messageId) > MAX_FAULTS)
      return this.refuse('006', this.reason, { gatewayCode: statusCode(status), tryOther: true });
    this.finish({
      messageId,
      result: 'throttled',
      scope: 'message',
      retryAfterMs: FAULT_MS,
      reason: this.reason,
      isFault: true,
    });
  }

  /** Sends a segment that was certainly not taken again, while there is time. */
  private repeat(index: number, delayMs: number): void {
    if (this.isSettled) return this.conclude();
    const { clock, link } = this.context;
    const hasBegun = this.mayBeTaken;
    const limit = hasBegun ? this.limits.deadlineAt : this.limits.unwrittenAt;
    const isHopeless = hasBegun ? link.isClosed : !link.isServing;
    if (isHopeless || clock.now() + delayMs >= limit) return hasBegun ? this.conclude() : this.end();
    if (delayMs === 0) return this.send(index);
    this.open += 1;
    clock.after(delayMs, () => {
      this.open -= 1;
      if (this.isSettled) this.conclude();
      else this.send(index);
    });
  }

  /** Ends the message when no segment is under way any more. After the deadline a report says how it ended. */
  private conclude(): void {
    if (this.open > 0) return;
    const { taken, lost, outcome } = this;
    const { length } = this.segments;
    if (outcome === 'rejected' || outcome === 'throttled') return this.storeRefused();
    if (taken === length)
      return this.store(() => (this.isSettled ? this.reportLate('SENT') : this.finish(this.accepted())));
    const hasFailed = taken + lost < length && (taken > 0 || lost === 0);
    if (!hasFailed) return this.isSettled ? this.storeTaken() : this.finish(this.unconfirmed());
    if (taken > 0) this.reason = `The SMSC took only ${taken} of ${length} segments. ${this.reason}`;
    if (!this.isSettled) return this.refuse(this.errCode, this.reason);
    this.storeRefused();
    this.reportLate('FAILED');
  }

  private refuse(errCode: string, description: string, more: object = {}): void {
    this.finish({ ...this.refusal(errCode, description), ...more });
  }

  private finish(outcome: SubmitOutcome): void {
    if (this.isSettled) return;
    this.outcome = outcome.result;
    this.cancelQueued();
    this.batch.settle(this.position, outcome);
    this.leave();
    if (outcome.result === 'unconfirmed') this.storeTaken();
    if (outcome.result === 'rejected') this.storeRefused();
  }

  private get isSettled(): boolean {
    return this.outcome !== undefined;
  }

  private leave(): void {
    if (!this.isQueued) return;
    this.isQueued = false;
    this.batch.startNext();
  }

  private cancelQueued(): void {
    for (const [index, request] of this.requests.entries()) {
      if (!request || request.via) continue;
      request.isCancelled = true;
      this.requests[index] = undefined;
      this.open -= 1;
    }
  }

  /** Stores the ids of a message that was not wholly taken, once no answer is missing, so that its reports find it. */
  private storeTaken(): void {
    if (this.open === 0 && this.taken > 0) this.store(() => undefined);
  }

  private storeRefused(): void {
    if (this.context.storesRefused) this.storeTaken();
  }

  private store(done: () => void): void {
    if (this.isStored) return;
    this.isStored = true;
    const { messageId, key, recipient } = this.message;
    const segments = this.segments.length;
    const rows: GatewayMessageId[] = [];
    for (const [index, gatewayMessageId] of this.ids.entries())
      if (gatewayMessageId !== undefined)
        rows.push({ gatewayMessageId, messageId, key, segment: index + 1, segments, recipient });
    this.context.ids.add(rows, done);
  }

  /** Reports how a message ended whose outcome is unconfirmed. */
  private reportLate(status: 'SENT' | 'FAILED'): void {
    const { messageId } = this.message;
    const end =
      status === 'SENT'
        ? { errCode: '000', description: 'Message accepted by the SMSC' }
        : { errCode: this.errCode, description: this.reason };
    this.context.reportLate({ messageId, status, ...end, reportedAt: new Date() });
  }

  /** True once the SMSC may have a segment. */
  private get mayBeTaken(): boolean {
    return this.taken + this.lost > 0 || this.requests.some((request) => request?.via !== undefined);
  }

  private accepted(): SubmitOutcome {
    const { messageId, key } = this.message;
    const named = this.ids.filter((id) => id !== undefined && id !== '') as string[];
    return { messageId, key, result: 'accepted', gatewayMessageIds: named };
  }

  private unconfirmed(): SubmitOutcome {
    return { messageId: this.message.messageId, result: 'unconfirmed' };
  }

  private throttled(): SubmitOutcome {
    const { messageId } = this.message;
    return {
      messageId,
      result: 'throttled',
      scope: 'gateway',
      retryAfterMs: THROTTLED_MS,
      reason: this.reason,
    };
  }

  private refusal(errCode: string, description: string): SubmitOutcome {
    return { messageId: this.message.messageId, result: 'rejected', errCode, description };
  }
}
