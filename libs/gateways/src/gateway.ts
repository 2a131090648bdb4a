import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';

/** The fields that an outgoing message of every channel has. A repeat of the same `messageId` is the same message. */
export interface OutgoingMessage {
  messageId: string;
  sender: string;
  recipient: string;
  /** 1 for the first submit, and one more for each repeat: after `throttled`, or after a worker that died. */
  attempt: number;
}

/** A submitted message, named as its gateway knows it. */
export type MessageAddress = Pick<OutgoingMessage, 'messageId' | 'recipient'>;

/** Stores reports; rejects when they could not be stored. */
export type ReceiveReports = (reports: GatewayReport[]) => Promise<void>;

/**
 * The port to an upstream that carries messages of one channel. Reports may be late, repeated, out of order, and
 * earlier than the outcome of their submit. `test/gateway.conformance.ts` checks an implementation.
 */
export abstract class Gateway<Message extends OutgoingMessage = OutgoingMessage> {
  /** Identifies the gateway in reports, callbacks and webhook configurations. */
  abstract readonly name: string;

  /** Messages per second that all workers together may submit; null for no limit. */
  readonly ratePerSecond: number | null = null;

  /**
   * Submits a batch.
   *
   * @returns one outcome per message, in order
   * @throws only when no outcome of the whole batch is known
   */
  abstract submit(messages: Message[]): Promise<SubmitOutcome[]>;

  /** Asks for the final reports of overdue messages; the answers arrive as reports or callbacks. */
  abstract query(messages: MessageAddress[]): Promise<void>;

  /**
   * Sets the one receiver of reports. A report is acknowledged upstream when the promise resolves, and repeated when it
   * rejects. A gateway that reports by callback never calls it.
   */
  abstract onReports(receive: ReceiveReports): void;

  /** Refuses further messages and resolves when pending reports have been delivered to the receiver. */
  abstract close(): Promise<void>;
}
