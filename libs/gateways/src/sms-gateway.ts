import type { SmsEncoding } from '@signalbox/domain/sms/parts';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';

/** One SMS to hand to an upstream gateway. A repeat of the same `messageId` is the same message. */
export interface OutgoingSms {
  messageId: string;
  sender: string;
  recipient: string;
  text: string;
  /** How the text goes out; settled by its characters and the caller's wish, the same for every gateway. */
  encoding: SmsEncoding;
  /** 0 shows the text on the screen at once and does not keep it (GSM 03.38, section 4). */
  messageClass: 0 | null;
  /** What the template is registered as with India's DLT. */
  dlt: { entityId: string | null; templateId: string | null } | null;
  /** 1 for the first submit, one more for each submit after a `throttled`. */
  attempt: number;
}

/** The port to an upstream that carries SMS. Reports may come late, twice, out of order, and before the submit answer. */
export abstract class SmsGateway {
  /** The name that reports and webhook configurations know the gateway by. */
  abstract readonly name: string;

  /** How many messages per second the gateway may be given, by all workers together; null without a limit. */
  readonly ratePerSecond: number | null = null;

  /**
   * Submits a batch and tells what became of each message, in the order of the messages.
   *
   * @throws only when nothing is known of the whole batch
   */
  abstract submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]>;

  /** Asks again for the final reports of messages that are overdue; the answers come as reports. */
  abstract query(messages: { messageId: string; recipient: string }[]): Promise<void>;

  /** Sets the one receiver of reports. A report is acknowledged upstream when the promise resolves and repeated when it rejects. */
  abstract onReports(receive: (reports: GatewayReport[]) => Promise<void>): void;

  /** Stops taking messages and resolves when the reports under way have been handed over. */
  abstract close(): Promise<void>;
}
