import { Injectable } from '@nestjs/common';
import { type PushPredecessor, listPushesBehind } from '@signalbox/database/webhooks/pushes';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { ReportStatus } from '@signalbox/domain/message-status';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { IdTable } from '@signalbox/runtime/id-table';
import { RecentUuids } from '@signalbox/runtime/recent-uuids';
import { EntityManager } from 'typeorm';
import { type FirstPush, outcomeOf } from './pending-push.ts';
import type { PushPlan, SlicePart } from './push-plan.ts';

/** Statuses of a chat-app message that another one usually follows. */
const FOLLOWED: ReadonlySet<ReportStatus> = new Set(['SENT', 'FAILED', 'DELIVERED']);

/** Minimum number of latest delivered reports that are remembered. */
const MIN_DELIVERED = 20_000;

/**
 * Keeps the pushes of a message in order: no status is pushed before an earlier one. A push waits for earlier ones that
 * this process is making, and not for those that it has delivered lately; others are looked up in the database. Most
 * SMS have a single report, and need none of it.
 */
@Injectable()
export class PushSequencer {
  /** For each report that this process is pushing, the plan of its job. */
  private readonly pushing = new IdTable<Promise<PushPlan>>();
  private readonly delivered = new RecentUuids(MIN_DELIVERED);

  constructor(private readonly db: EntityManager) {}

  /**
   * Registers the pushes of reports. Call it in the tick in which the reports have moved their messages, before any
   * other await.
   */
  begin(reports: readonly AppliedReport[], plan: Promise<PushPlan>): void {
    plan.catch(() => undefined); // the caller handles the rejection
    for (const { reportId } of reports) this.pushing.set(reportId, plan);
  }

  /** Remembers the reports that are delivered to all of their webhooks, and that others may follow. */
  noteDelivered({ reports, byReport }: SlicePart): void {
    for (const { reportId, status, isFinal, chat } of reports)
      if ((chat ? FOLLOWED.has(status) : !isFinal) && byReport.get(reportId)!.every(isDelivered))
        this.delivered.add(reportId);
  }

  /** Removes reports that are settled, deferred or left to a later job. */
  end(reportIds: readonly string[]): void {
    for (const id of reportIds) this.pushing.delete(id);
  }

  /** Makes each push wait for the earlier ones of its message at the same webhook, or postpones it to a later try. */
  async arrange(pushes: readonly FirstPush[]): Promise<void> {
    const elsewhere: PushPredecessor[] = [];
    for (const push of pushes) {
      if (push.report.earlier === null) continue; // nearly all
      for (const earlierReportId of push.report.earlier) {
        const here = this.pushing.get(earlierReportId);
        if (here) await follow(push, earlierReportId, here);
        else if (!this.delivered.has(earlierReportId))
          elsewhere.push({ reportId: push.report.reportId, webhookId: push.target.id, earlierReportId });
      }
    }
    if (elsewhere.length === 0) return;
    const unfinished = await listPushesBehind(this.db, elsewhere);
    const behind = new Set(unfinished.map(({ reportId, webhookId }) => deliveryId(reportId, webhookId)));
    for (const push of pushes) if (behind.has(idOf(push))) push.behindMs = 0;
  }
}

/**
 * Makes a push wait for the earlier one, if the webhook wants the earlier status. A push does not wait for one of a
 * later slice, because two jobs could wait for each other: it is postponed.
 */
async function follow(push: FirstPush, earlierReportId: string, here: Promise<PushPlan>): Promise<void> {
  try {
    const earlier = (await here).find(earlierReportId, push.target.id);
    if (earlier === 'unplanned') push.behindMs = 0;
    else if (earlier) push.after.push(outcomeOf(earlier));
  } catch {
    push.behindMs = 0; // the job of the earlier report failed, and decides again whether it is wanted
  }
}

function isDelivered({ outcome }: FirstPush): boolean {
  return outcome?.status === 'DELIVERED';
}

function idOf({ report, target }: FirstPush): string {
  return deliveryId(report.reportId, target.id);
}
