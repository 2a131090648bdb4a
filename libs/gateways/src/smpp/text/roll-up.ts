import type { NamedMessage } from '@signalbox/domain/message-id';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { MessageSegments, SegmentReport } from '../../gateway-ids.ts';
import type { ReceiptSettings } from './receipt-settings.ts';

/**
 * Makes the report of a message from those of its segments, in whichever order they came: DELIVERED when all are,
 * FAILED when one is and all are final, SENT before. With `receiptsFrom: first` or `last`, that segment decides.
 *
 * @param isSilent true once the other segments are no longer waited for: those without a final report then agree with
 *   the ones that have one
 * @returns undefined while there is nothing to report
 */
export function rollUp(
  { reports, ...message }: MessageSegments,
  { receiptsFrom }: Pick<ReceiptSettings, 'receiptsFrom'>,
  { isSilent = false }: { isSilent?: boolean } = {},
): GatewayReport | undefined {
  const [only] = reports;
  if (reports.length === 1 && !isSilent) return only && isKnown(only) ? reportOf(message, only) : undefined;
  const deciding = decidingOf(reports, receiptsFrom);
  const final = deciding.filter(isFinal);
  if (final.length > 0 && final.length === deciding.length) return reportOf(message, verdictOf(final));
  if (isSilent) return agree(message, reports.filter(isFinal));
  const sent = deciding.filter((report) => report?.status === 'SENT');
  return final.length === 0 && sent.length > 0 ? reportOf(message, sent[0]!) : undefined;
}

function decidingOf(
  reports: MessageSegments['reports'],
  receiptsFrom: ReceiptSettings['receiptsFrom'],
): MessageSegments['reports'] {
  if (receiptsFrom === 'first') return reports.slice(0, 1);
  return receiptsFrom === 'last' ? reports.slice(-1) : reports;
}

function isFinal(report: SegmentReport | null): report is SegmentReport {
  return report?.status === 'DELIVERED' || report?.status === 'FAILED';
}

/** Returns true for a report of a known status. */
function isKnown(report: SegmentReport): boolean {
  return report.status === 'SENT' || isFinal(report);
}

function agree(message: NamedMessage, final: SegmentReport[]): GatewayReport | undefined {
  return final.length === 0 ? undefined : reportOf(message, verdictOf(final));
}

/** The first segment that failed; else the one that was delivered last. */
function verdictOf(final: SegmentReport[]): SegmentReport {
  const failed = final.find(({ status }) => status === 'FAILED');
  return failed ?? final.reduce((last, report) => (report.reportedAt > last.reportedAt ? report : last));
}

function reportOf(
  { messageId, key }: NamedMessage,
  { status, errCode, gatewayCode, description, reportedAt }: SegmentReport,
): GatewayReport {
  return {
    messageId,
    key,
    status: status!,
    errCode,
    description,
    reportedAt,
    ...(gatewayCode === null ? {} : { gatewayCode }),
  };
}
