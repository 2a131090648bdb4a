import type { ReportedStatus } from '../message-status.ts';

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
