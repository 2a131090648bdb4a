import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { type UnsettledReport, applyReports, listUnsettled } from '@signalbox/database/reports/reports';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { type EarlyReport, enqueueEarly } from './early-reports.ts';

const LIMITS = { maxBatch: 1_000, maxWaiting: 100_000 };

/** Result of a batch of reports. */
export interface Applied {
  /**
   * To be pushed: they moved their message, now or in a run that ended before it pushed, or are events that move no
   * message.
   */
  toPush: AppliedReport[];
  /** Late or repeated: nothing to push. */
  withoutEffect: string[];
  /** Arrived out of order: left unsettled and enqueued again with a delay. */
  early: EarlyReport[];
  /** Name no message that is stored yet: left unsettled, and enqueued again by the rescue. */
  unmatched: string[];
}

/**
 * Applies the reports of concurrent jobs with shared statements. In this process batches run one after another, because
 * the earlier of two reports of a message can move nothing once the later one is applied. Another process may apply the
 * later one first: the earlier one then has no effect and is not pushed, unless `early-reports.ts` has delayed the later.
 */
@Injectable()
export class ReportApplier {
  private readonly batches: GroupCommit<string[], Applied>;

  constructor(
    private readonly db: EntityManager,
    queues: Queues,
    private readonly logger: Logger,
  ) {
    const flush = async (jobs: string[][]): Promise<Applied[]> => {
      const applied = await this.applyAll([...new Set(jobs.flat())]);
      enqueueEarly(queues, applied.early);
      return jobs.length === 1 ? [applied] : jobs.map((reportIds) => partOf(applied, new Set(reportIds)));
    };
    this.batches = new GroupCommit(flush, {
      name: 'apply reports',
      ...LIMITS,
      weigh: (reportIds) => reportIds.length,
    });
  }

  /** Applies the reports of a job. @throws what the database threw, so that the job runs again */
  apply(reportIds: string[]): Promise<Applied> {
    return this.batches.add(reportIds);
  }

  /** Lists the reports among these that were applied and are still to be pushed. */
  async listApplied(reportIds: string[]): Promise<AppliedReport[]> {
    const reports = await listUnsettled(this.db, reportIds);
    return reports.filter(isKnown).filter(({ needsPush }) => needsPush);
  }

  async close(): Promise<void> {
    await this.batches.close();
  }

  /**
   * Leaves out reports that the database refuses to apply: they stay unsettled, and are parked after their last start.
   */
  private async applyAll(reportIds: string[]): Promise<Applied> {
    const parts: Applied[] = [];
    const apply = async (ids: string[]): Promise<void> => void parts.push(await applyInOrder(this.db, ids));
    const refused = await bisect(reportIds, apply, isRefusedValue);
    for (const { item, error } of refused) this.logger.error({ reportId: item, error }, 'report.refused');
    return joinAll(parts);
  }
}

function joinAll(parts: Applied[]): Applied {
  if (parts.length === 1) return parts[0]!;
  return {
    toPush: parts.flatMap(({ toPush }) => toPush),
    withoutEffect: parts.flatMap(({ withoutEffect }) => withoutEffect),
    early: parts.flatMap(({ early }) => early),
    unmatched: parts.flatMap(({ unmatched }) => unmatched),
  };
}

/** The part of a result that concerns some reports. */
function partOf({ toPush, withoutEffect, early, unmatched }: Applied, ids: ReadonlySet<string>): Applied {
  return {
    toPush: toPush.filter((report) => ids.has(report.reportId)),
    withoutEffect: withoutEffect.filter((id) => ids.has(id)),
    early: early.filter(({ reportId }) => ids.has(reportId)),
    unmatched: unmatched.filter((id) => ids.has(id)),
  };
}

/**
 * Applies reports to their messages, with one statement for all. It runs again only for reports that may move their
 * message after all: it was stored or moved meanwhile, or a Read that waits kept a Delivered from it. A job that
 * runs again before they are settled gets the same reports to push.
 */
async function applyInOrder(db: EntityManager, reportIds: string[]): Promise<Applied> {
  const applied: Applied = { toPush: [], withoutEffect: [], early: [], unmatched: [] };
  let open = reportIds;
  while (open.length > 0) {
    const moved = await applyReports(db, open);
    applied.toPush.push(...moved);
    if (moved.length === open.length) break;
    const movedIds = new Set(moved.map((report) => report.reportId));
    const rest = open.filter((id) => !movedIds.has(id));
    open = await sortOut(db, rest, applied);
  }
  return applied;
}

/**
 * Sorts the unsettled reports that `applyReports` did not return into the result.
 *
 * @returns those that may move their message now
 */
async function sortOut(db: EntityManager, reportIds: string[], applied: Applied): Promise<string[]> {
  const next: string[] = [];
  for (const report of await listUnsettled(db, reportIds)) {
    const { reportId, needsPush, mayMove, earlyForMs } = report;
    if (!isKnown(report)) applied.unmatched.push(reportId);
    else if (needsPush) applied.toPush.push(report);
    else if (!mayMove) applied.withoutEffect.push(reportId);
    else if (earlyForMs !== null) applied.early.push({ reportId, lane: report.lane, ageMs: earlyForMs });
    else next.push(reportId);
  }
  return next;
}

/** True when the report's message or event is stored, and with it the account. */
function isKnown(report: UnsettledReport): report is UnsettledReport & AppliedReport {
  return report.accountId !== null;
}
