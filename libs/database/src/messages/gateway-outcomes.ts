import { parseMessageId } from '@signalbox/domain/message-id';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { RecordedSubmit } from './messages.ts';

/** The report that says that a message was rejected. */
export function rejection({
  messageId,
  errCode,
  description,
}: SubmitOutcome & { result: 'rejected' }): GatewayReport {
  return { messageId, status: 'FAILED', errCode, description, reportedAt: new Date() };
}

/**
 * An answer as it is recorded. An unconfirmed message may be on its way, so it counts as sent: its report decides, and it is never submitted
 * twice. So does a rejected one, whose report is in already.
 */
export function toRecordedSubmit(outcome: SubmitOutcome): RecordedSubmit[] {
  const key = parseMessageId(outcome.messageId);
  if (!key) return [];
  if (outcome.result === 'throttled')
    return [{ ...key, result: 'throttled', gatewayMessageId: null, retryAfterMs: outcome.retryAfterMs }];
  const gatewayMessageId = outcome.result === 'accepted' ? (outcome.gatewayMessageId ?? null) : null;
  return [
    {
      ...key,
      result: outcome.result === 'rejected' ? 'rejected' : 'sent',
      gatewayMessageId,
      retryAfterMs: 0,
    },
  ];
}
