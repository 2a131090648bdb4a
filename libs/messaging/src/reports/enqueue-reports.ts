import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';

/**
 * Enqueues stored reports.
 *
 * @param codes the ids of those about codes, which have a separate queue
 */
export function enqueueReports(
  queues: Pick<Queues, 'get'>,
  reportIds: string[],
  codes: ReadonlySet<string>,
): void {
  queues
    .get(REPORT_QUEUES.OTHER)
    .enqueue(codes.size === 0 ? reportIds : reportIds.filter((id) => !codes.has(id)));
  if (codes.size > 0) queues.get(REPORT_QUEUES.OTP).enqueue(reportIds.filter((id) => codes.has(id)));
}
