import { randomUUIDv7 } from 'node:crypto';
import type { RecordedSubmit } from '@signalbox/database/messages/messages';
import type { NewReport } from '@signalbox/database/reports/reports';
import { type MessageKey, messageKeyOf } from '@signalbox/domain/message-id';
import { isOptOut } from '@signalbox/domain/routing/opt-out-codes';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { clampDelayMs, clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import { MAX_GATEWAY_CODE } from '@signalbox/gateways/gateway-ids';
import { storable } from '@signalbox/gateways/storable';

const MAX_DETAILS_BYTES = 2_048;

/** Makes a report storable, whatever its texts contain. @returns undefined when its message id is not one of Signalbox */
export function toNewReport(gateway: string, report: GatewayReport): NewReport | undefined {
  const key = messageKeyOf(report);
  if (!key) return undefined;
  return {
    id: randomUUIDv7(),
    gateway,
    ...key,
    status: report.status,
    errCode: toStorableText(report.errCode),
    description: toStorableText(report.description),
    operatorCircle: report.operatorCircle === undefined ? null : toStorableText(report.operatorCircle),
    reportedAt: clampInstant(report.reportedAt, new Date()),
    gatewayCode:
      report.gatewayCode === undefined
        ? null
        : toStorableText(report.gatewayCode).slice(0, MAX_GATEWAY_CODE).toWellFormed(),
    details: storableDetails(report.details),
  };
}

/** Returns details as Postgres stores them; null for none, and for more than MAX_DETAILS_BYTES of JSON. */
function storableDetails(details: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (details === undefined) return null;
  const stored = storable(details) as Record<string, unknown>;
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_DETAILS_BYTES ? null : stored;
}

/** Returns the messages whose recipients opted out with the gateway itself, as its reports say. */
export function optOutsOf(reports: readonly GatewayReport[]): MessageKey[] {
  return reports
    .filter(({ errCode, gatewayCode }) => isOptOut(errCode, gatewayCode))
    .flatMap((report) => messageKeyOf(report) ?? []);
}

/** Returns the report of a rejected message. */
export function toRejection({
  messageId,
  errCode,
  description,
  gatewayCode,
}: SubmitOutcome & { result: 'rejected' }): GatewayReport {
  const code = gatewayCode === undefined ? {} : { gatewayCode };
  return { messageId, status: 'FAILED', errCode, description, ...code, reportedAt: new Date() };
}

/**
 * An outcome to record: of a gateway, or of the worker. A released message is left to other workers, and a resent one is
 * submitted again although its gateway may have it.
 */
export type Verdict =
  | SubmitOutcome
  | { messageId: string; result: 'released' | 'resent'; retryAfterMs: number };

const RESEND_MS = 1_000;

/** Returns the outcome of an unconfirmed message that its route sends again. */
export function resent(messageId: string): Verdict & { retryAfterMs: number } {
  return { messageId, result: 'resent', retryAfterMs: RESEND_MS };
}

/**
 * Returns an outcome as it is recorded. An unconfirmed message may be on its way: it is recorded like a sent one, and
 * its report decides. All texts are made storable, since one that the database refuses would fail the record of the
 * whole batch, whose messages would then be submitted again.
 */
export function toRecordedSubmit(outcome: Verdict): RecordedSubmit[] {
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
function storableId(outcome: Verdict): string | null {
  if (outcome.result !== 'accepted') return null;
  const [first]: readonly unknown[] = outcome.gatewayMessageIds;
  return typeof first === 'string' ? toStorableText(first) : null;
}
