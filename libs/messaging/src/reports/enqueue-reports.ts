import { MAX_SMALL_SEND } from '@signalbox/domain/limits';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/** A stored report. */
export interface ReportKey {
  id: string;
  /** Position of its recipient in the send, from 1; 0 for what recipients wrote. */
  n: number;
}

/**
 * Enqueues stored reports of gateways: those of codes, and those of messages beyond the 100th of a send, to separate
 * queues.
 *
 * @param codeReports the ids of those about codes
 */
export function enqueueReports(
  queues: Pick<Queues, 'get'>,
  reports: readonly ReportKey[],
  codeReports: ReadonlySet<string>,
): void {
  const byQueue = Map.groupBy(reports, ({ id, n }) => {
    if (codeReports.has(id)) return REPORT_QUEUES.OTP;
    return n > MAX_SMALL_SEND ? REPORT_QUEUES.BULK : REPORT_QUEUES.OTHER;
  });
  for (const [queue, some] of byQueue) queues.get(queue).enqueue(some.map(({ id }) => id));
}
