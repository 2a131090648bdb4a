import type { RecordedSubmit } from '@signalbox/database/messages/submits';
import { messageKeyOf } from '@signalbox/domain/message-id';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { clampDelayMs, toStorableText } from '@signalbox/domain/sanitize';

/**
 * An outcome to record: of a gateway, or of the worker. A released message is left to other workers, and a resent one
 * is submitted again although its gateway may have it.
 */
export type RecordableOutcome =
  | SubmitOutcome
  | { messageId: string; result: 'released' | 'resent'; retryAfterMs: number };

const RESEND_MS = 1_000;

/** Returns the outcome of an unconfirmed message that its route sends again. */
export function resent(messageId: string): RecordableOutcome & { retryAfterMs: number } {
  return { messageId, result: 'resent', retryAfterMs: RESEND_MS };
}

/**
 * Returns an outcome as it is recorded. An unconfirmed message may be on its way: it is recorded like a sent one, and
 * its report decides. All texts are made storable, since one that the database refuses would fail the record of the
 * whole batch, whose messages would then be submitted again.
 */
export function toRecordedSubmit(outcome: RecordableOutcome): RecordedSubmit[] {
  const key = messageKeyOf(outcome);
  if (!key) return [];
  if ('retryAfterMs' in outcome) {
    const retryAfterMs = clampDelayMs(outcome.retryAfterMs);
    return [{ ...key, result: outcome.result, gatewayMessageId: null, retryAfterMs }];
  }
  const result = outcome.result === 'accepted' ? 'sent' : outcome.result;
  return [{ ...key, result, gatewayMessageId: storableId(outcome), retryAfterMs: 0 }];
}

/** Returns the gateway's id of the first segment; null for one that is no text. */
function storableId(outcome: RecordableOutcome): string | null {
  if (outcome.result !== 'accepted') return null;
  const [first]: readonly unknown[] = outcome.gatewayMessageIds;
  return typeof first === 'string' ? toStorableText(first) : null;
}
