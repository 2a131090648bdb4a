import type { StoredMessageId } from '@signalbox/database/gateways/message-ids';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import { canMove } from '@signalbox/domain/message-status';
import type { MessageSegments, SegmentReport } from '@signalbox/gateways/gateway-ids';

/** Digits at the end that make a national and an international spelling the same number. */
const SAME_ENDING = 7;

/** Returns the rows whose recipient does not contradict a report. */
export function rowsOfRecipient(
  rows: readonly StoredMessageId[],
  { recipient }: SegmentReport,
): StoredMessageId[] {
  return rows.filter((row) => isSameNumber(recipient, row.recipient));
}

/** Chooses the row that a report is about among those of one id: the oldest without a final report, else the newest. */
export function chooseRow(rows: readonly StoredMessageId[]): StoredMessageId | undefined {
  const sorted = rows.toSorted(byAge);
  return sorted.find((row) => !isFinal(row)) ?? sorted.at(-1);
}

/** Identifies a row of the map. */
export function keyOf({ gateway, gatewayMessageId, submissionId, n, segment }: StoredMessageId): string {
  return JSON.stringify([gateway, gatewayMessageId, submissionId, n, segment]);
}

/** Identifies the message of a row. */
export function messageOf({ submissionId, n }: MessageKey): string {
  return messageId(submissionId, n);
}

/** Returns a row with a report; unchanged when the row has a later status, since reports arrive late and repeated. */
export function withReport(row: StoredMessageId, report: SegmentReport): StoredMessageId {
  const { status, errCode, gatewayCode, description, reportedAt } = report;
  if (status === null || !canMove(row.status ?? 'PENDING', status)) return row;
  return { ...row, status, errCode, gatewayCode, description, reportedAt };
}

/**
 * Returns the rows of a message. While some segments have a final report and others do not, the first row with one
 * holds the time since which the others are waited for.
 */
export function withWait(rows: readonly StoredMessageId[], now: Date): StoredMessageId[] {
  const reports = segmentsOf(rows).reports;
  const isWaiting =
    reports.some((each) => each && isFinal(each)) && !reports.every((each) => each && isFinal(each));
  const since = rows.find(({ waitingSince }) => waitingSince !== null)?.waitingSince ?? now;
  const first = rows.find(isFinal);
  return rows.map((row) => ({ ...row, waitingSince: isWaiting && row === first ? since : null }));
}

/** Builds the segments of a message from its rows. Of several rows of a segment, the furthest counts. */
export function segmentsOf(rows: readonly StoredMessageId[]): MessageSegments {
  const { submissionId, n, segments } = rows[0]!;
  const reports = Array.from({ length: segments }, (_, i) => {
    const own = rows.filter(({ segment, status }) => segment === i + 1 && status !== null);
    return own.reduce<SegmentReport | null>((best, row) => further(best, reportOf(row)), null);
  });
  return { messageId: messageId(submissionId, n), reports };
}

function further(best: SegmentReport | null, report: SegmentReport): SegmentReport {
  return best === null || canMove(best.status!, report.status!) ? report : best;
}

function reportOf(row: StoredMessageId): SegmentReport {
  const { gatewayMessageId, recipient, status, errCode, gatewayCode, description, reportedAt } = row;
  return {
    gatewayMessageId,
    recipient,
    status,
    errCode: errCode ?? '000',
    gatewayCode,
    description: description ?? '',
    reportedAt: reportedAt!,
  };
}

/** Is true for a report that ends the wait for others of its segment. */
export function isFinal({ status }: { status: string | null }): boolean {
  return status === 'DELIVERED' || status === 'READ' || status === 'FAILED';
}

/** Submissions have time-ordered ids. */
function byAge(a: StoredMessageId, b: StoredMessageId): number {
  const order = a.submissionId.localeCompare(b.submissionId);
  return order !== 0 ? order : a.n - b.n || a.segment - b.segment;
}

/** Compares the number of a report, which may be in a national spelling, with that of a message. */
function isSameNumber(reported: string | null, recipient: string): boolean {
  if (reported === null || reported === recipient) return true;
  return reported.length >= SAME_ENDING && reported.slice(-SAME_ENDING) === recipient.slice(-SAME_ENDING);
}
