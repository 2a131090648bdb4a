import { parseMessageId } from '@signalbox/domain/message-id';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { RecordedSubmit } from './messages.ts';

/** Returns the report that says that a gateway rejected a message. */
export function rejection({
  messageId,
  errCode,
  description,
}: SubmitOutcome & { result: 'rejected' }): GatewayReport {
  return { messageId, status: 'FAILED', errCode, description, reportedAt: new Date() };
}

/**
 * Returns the record of a gateway's answer; none when it names no message of ours. An unconfirmed message counts as sent: the
 * gateway may have it, so its report decides and it is never submitted twice.
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
