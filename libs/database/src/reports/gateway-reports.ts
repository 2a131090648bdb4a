import { randomUUIDv7 } from 'node:crypto';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import type { NewReport } from './reports.ts';

/** Returns a gateway's report as it is stored; undefined when it names no message of ours, so that it can never be matched. */
export function newReport(gateway: string, report: GatewayReport): NewReport | undefined {
  const key = parseMessageId(report.messageId);
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
  };
}
