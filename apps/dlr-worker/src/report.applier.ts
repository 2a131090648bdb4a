import {
  type AppliedReport,
  type UnmovedReport,
  applyReports,
  listUnmoved,
} from '@signalbox/database/reports/reports';
import { canMove } from '@signalbox/domain/message-status';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';
import type { EarlyReport, EarlyReports } from './early-reports.ts';

const MAX_BATCH = 1_000;
const MAX_WAITING = 100_000;

/** What a batch of reports came to. */
export interface Applied {
  /** To be told of: they moved their message, now or in an earlier run that did not live to tell of it, or are events that move none. */
  moved: AppliedReport[];
  /** Late or repeated: nothing to tell anybody. */
  idle: string[];
  /** Came before the status that they follow, a moment ago. They stay open, and are rung for again. */
  early: EarlyReport[];
  /** Match no message yet. They stay open, and are tried again. */
  orphans: string[];
}

/**
 * Lets jobs that run at the same time share the statements that apply their reports. One batch comes after the other: of two reports of a message the
 * later one must not be faster, for the earlier one would be of no more use then.
 */
export class ReportApplier {
  private readonly batches: GroupCommit<string[], Applied>;

  constructor(
    db: EntityManager,
    private readonly early: EarlyReports,
  ) {
    const flush = async (jobs: string[][]): Promise<Applied[]> => {
      const applied = await applyInOrder(db, [...new Set(jobs.flat())]);
      this.early.ring(applied.early);
      return jobs.map((reportIds) => partOf(applied, new Set(reportIds)));
    };
    this.batches = new GroupCommit(flush, {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
      weigh: (reportIds) => reportIds.length,
    });
  }

  /** What these reports came to. @throws what the database threw: the job comes again */
  apply(reportIds: string[]): Promise<Applied> {
    return this.batches.add(reportIds);
  }

  async close(): Promise<void> {
    await this.batches.close();
    await this.early.close();
  }
}

function partOf({ moved, idle, early, orphans }: Applied, ids: ReadonlySet<string>): Applied {
  return {
    moved: moved.filter((report) => ids.has(report.reportId)),
    idle: idle.filter((id) => ids.has(id)),
    early: early.filter(({ reportId }) => ids.has(reportId)),
    orphans: orphans.filter((id) => ids.has(id)),
  };
}

/**
 * Applies reports to their messages. One statement does it; a second pass is needed only for a message that was stored after the first.
 * Repeating it for the same reports tells the same.
 */
async function applyInOrder(db: EntityManager, reportIds: string[]): Promise<Applied> {
  const applied: Applied = { moved: [], idle: [], early: [], orphans: [] };
  let open = reportIds;
  while (open.length > 0) {
    const moved = await applyReports(db, open);
    applied.moved.push(...moved);
    if (moved.length === open.length) break;
    const movedIds = new Set(moved.map((report) => report.reportId));
    const rest = open.filter((id) => !movedIds.has(id));
    open = await sortOut(db, rest, applied);
  }
  return applied;
}

/** @returns the reports that can still move their message, which was not there a moment ago */
async function sortOut(db: EntityManager, reportIds: string[], applied: Applied): Promise<string[]> {
  const next: string[] = [];
  for (const report of await listUnmoved(db, reportIds)) {
    const { reportId, status, messageStatus, needsPush, earlyForMs } = report;
    if (!isKnown(report)) applied.orphans.push(reportId);
    else if (needsPush) applied.moved.push(report);
    else if (messageStatus === null || !canMove(messageStatus, status)) applied.idle.push(reportId);
    else if (earlyForMs !== null) applied.early.push({ reportId, ageMs: earlyForMs });
    else next.push(reportId);
  }
  return next;
}

/** Whether what the report is about is there; its account is then known too. */
function isKnown(report: UnmovedReport): report is UnmovedReport & AppliedReport {
  return report.accountId !== null;
}
