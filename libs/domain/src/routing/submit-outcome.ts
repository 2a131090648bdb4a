import type { ReportedStatus } from '../message-status.ts';

/** Outcome of one submitted message. Expected outcomes are values, never exceptions. */
export type SubmitOutcome =
  | { messageId: string; result: 'accepted'; gatewayMessageId?: string }
  /** Possibly accepted: the message is not submitted again, and its report decides. */
  | { messageId: string; result: 'unconfirmed' }
  /** Not accepted: the message is submitted again after the delay. */
  | { messageId: string; result: 'throttled'; retryAfterMs: number }
  /** Refused permanently. */
  | { messageId: string; result: 'rejected'; errCode: string; description: string };

/** Report of a gateway on one message. `errCode` is `000` if there was no error. */
export interface GatewayReport {
  messageId: string;
  status: ReportedStatus;
  errCode: string;
  description: string;
  operatorCircle?: string;
  reportedAt: Date;
}
