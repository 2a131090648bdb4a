import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { SmsEncoding } from '@signalbox/domain/sms-parts';

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

/** What became of one submitted message; each is an expected end, never an exception. */
export type SubmitOutcome =
  | { messageId: string; result: 'accepted'; gatewayMessageId?: string }
  /** It may have been taken: it is never submitted again, its report decides. */
  | { messageId: string; result: 'unconfirmed' }
  /** It was not taken: submit it again, not before the delay. */
  | { messageId: string; result: 'throttled'; retryAfterMs: number }
  /** It was refused for good. */
  | { messageId: string; result: 'rejected'; errCode: string; description: string };

/** What a gateway says of a message. `errCode` is `000` when nothing went wrong (decisions, Webhooks). */
export interface GatewayReport {
  messageId: string;
  status: ReportedStatus;
  errCode: string;
  description: string;
  operatorCircle?: string;
  reportedAt: Date;
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
