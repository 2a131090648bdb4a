import { type PushPredecessor, listPredecessors } from '@signalbox/database/webhooks/pushes';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import type { EntityManager } from 'typeorm';
import type { FirstPush } from './push-call.ts';

/**
 * Sees to it that a later status is not told before an earlier one of the same message. Where the earlier push is made by this process at the
 * moment, the later one waits for it here; else the rows tell. Most messages of SMS have one report, and cost nothing.
 */
export class PushSequencer {
  /** The first pushes of the reports that this process is telling of, by their delivery ids. */
  private readonly telling = new Map<string, Promise<ReadonlyMap<string, FirstPush>>>();

  constructor(private readonly db: EntityManager) {}

  /** Must be called as soon as these reports have moved their messages, before anything else is waited for. */
  begin(reports: readonly AppliedReport[], works: Promise<readonly FirstPush[]>): void {
    const byId = works.then((all) => new Map(all.map((work) => [idOf(work), work])));
    byId.catch(() => undefined); // it is the caller's to tell of
    for (const { reportId } of reports) this.telling.set(reportId, byId);
  }

  /** These reports are settled, or nobody is at them any more. */
  end(reports: readonly AppliedReport[]): void {
    for (const { reportId } of reports) this.telling.delete(reportId);
  }

  /** Has each push wait for the earlier ones of its message at the same webhook, or leaves it to a later try. */
  async arrange(works: readonly FirstPush[]): Promise<void> {
    const orders: PushPredecessor[] = [];
    for (const work of works) {
      for (const earlierReportId of work.report.earlier ?? []) {
        const here = this.telling.get(earlierReportId);
        if (here) await follow(work, earlierReportId, here);
        else orders.push({ reportId: work.report.reportId, webhookId: work.target.id, earlierReportId });
      }
    }
    if (orders.length === 0) return;
    const behind = new Set(
      (await listPredecessors(this.db, orders)).map(({ reportId, webhookId }) =>
        deliveryId(reportId, webhookId),
      ),
    );
    for (const work of works) if (behind.has(idOf(work))) work.behindMs = 0;
  }
}

/** A webhook that does not want the earlier status has nothing to wait for. */
async function follow(
  work: FirstPush,
  earlierReportId: string,
  here: Promise<ReadonlyMap<string, FirstPush>>,
): Promise<void> {
  try {
    const earlier = (await here).get(deliveryId(earlierReportId, work.target.id));
    if (earlier) work.after.push(earlier.outcome.promise);
  } catch {
    work.behindMs = 0; // nobody knows whether the earlier one is wanted: that job comes again
  }
}

function idOf({ report, target }: FirstPush): string {
  return deliveryId(report.reportId, target.id);
}
