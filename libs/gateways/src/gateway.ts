import type { NamedMessage } from '@signalbox/domain/message-id';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { GatewayInbound } from './callback-format.ts';
import type { OpenRow } from './open-row.ts';

/** The fields that an outgoing message of every channel has. A repeat of the same `messageId` is the same message. */
export interface OutgoingMessage extends NamedMessage {
  accountId: string;
  sender: string;
  recipient: string;
  /** 1 for the first submit, and one more for each repeat: after `throttled`, or after a worker that died. */
  attempt: number;
  /** Time since when gateways throttle it; absent when none does. */
  throttledAt?: Date | null;
  /** Name of the only gateway that may carry it; absent when routes decide. */
  via?: string;
}

/** A submitted message, named as its gateway knows it. */
export type MessageAddress = Pick<OutgoingMessage, 'messageId' | 'recipient'> & {
  /** Ids of its segments, as far as they are known. */
  gatewayMessageIds?: string[];
  sender?: string;
};

/** Stores reports; rejects when they could not be stored. */
export type ReceiveReports = (reports: GatewayReport[]) => Promise<void>;

/** Stores messages that recipients wrote; rejects when they could not be stored. */
export type ReceiveInbound = (messages: GatewayInbound[]) => Promise<void>;

/** Limits of one submit. */
export interface SubmitOptions {
  /** Milliseconds from the call within which it resolves. */
  deadlineMs: number;
  /** Aborts when the caller waits no longer: the submit resolves immediately with what is known. */
  signal: AbortSignal;
}

/** The view that this process has of a gateway. */
export interface GatewayState {
  status: 'up' | 'connecting' | 'down' | 'closed';
  /** One sentence for people: what is wrong and what to do; what it is doing when it is up. */
  reason: string;
  since: Date;
  /**
   * Figures of the kind, such as bound, window, inFlight, ratePerSecond, throttledUntil. A gateway that is not up and
   * takes messages nevertheless has `takes`: `any`, or `one`, which tests it.
   */
  detail: Record<string, string | number | boolean | null>;
}

/**
 * The port to an upstream that carries messages of one channel. Reports may be late, repeated, out of order, and
 * earlier than the outcome of their submit. `test/gateway.conformance.ts` checks an implementation.
 */
export abstract class Gateway<Message extends OutgoingMessage = OutgoingMessage> {
  /** Identifies the gateway in reports, callbacks and webhook configurations. */
  abstract readonly name: string;

  /** Messages per second that all workers together may submit; null for no limit. */
  readonly ratePerSecond: number | null = null;

  /** True when `submit` keeps to `ratePerSecond`: a lone gateway may then get messages faster. */
  get pacesItself(): boolean {
    return false;
  }

  /**
   * Submits a batch. Never rejects, and never resolves later than its deadline: a message that was never written is
   * `throttled`, and one without an answer is `unconfirmed`. A closed gateway throttles every message.
   *
   * @returns one outcome per message, in order
   */
  abstract submit(messages: Message[], options: SubmitOptions): Promise<SubmitOutcome[]>;

  /** False when `query` does nothing. */
  get canBeAsked(): boolean {
    return true;
  }

  /**
   * Asks for the final reports of overdue messages; the answers arrive as reports or callbacks.
   *
   * @returns the messages that it could not ask about, such as those beyond its pace or while it has no connection
   */
  abstract query(messages: MessageAddress[]): Promise<MessageAddress[]>;

  /**
   * Sets the one receiver of reports. A report is acknowledged upstream when the promise resolves, and repeated when it
   * rejects. A gateway that reports by callback never calls it.
   */
  abstract onReports(receive: ReceiveReports): void;

  /** Sets the one receiver of inbound messages, under the same promise as `onReports`. */
  abstract onInbound(receive: ReceiveInbound): void;

  abstract state(): GatewayState;

  /** Takes over the changes of its row without another connection. False when it has to be opened again for them. */
  adopt(_row: OpenRow<object>): boolean {
    return false;
  }

  /** Refuses further messages and resolves when pending reports have been delivered to the receiver. */
  abstract close(): Promise<void>;
}
