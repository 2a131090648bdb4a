import { type AppliedReport, applyReports, listUnmoved } from '@signalbox/database/reports';
import { canMove } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';

/** What a batch of reports came to. */
export interface Applied {
  /** Moved their message, now or in an earlier run that did not live to tell of it. */
  moved: AppliedReport[];
  /** Late or repeated: nothing to tell anybody. */
  idle: string[];
  /** Match no message yet. They stay open, and are tried again. */
  orphans: string[];
}

/**
 * Applies reports to their messages in the order they came. One statement per pass; a second pass is needed only when a batch
 * holds several reports of one message. Repeating it for the same reports tells the same.
 */
export async function applyInOrder(db: EntityManager, reportIds: string[]): Promise<Applied> {
  const applied: Applied = { moved: [], idle: [], orphans: [] };
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

/** @returns the reports that can still move their message: they waited behind an older one of the same message */
async function sortOut(db: EntityManager, reportIds: string[], applied: Applied): Promise<string[]> {
  const next: string[] = [];
  for (const report of await listUnmoved(db, reportIds)) {
    if (report.messageStatus === null) applied.orphans.push(report.reportId);
    else if (report.movedBefore) applied.moved.push(report);
    else if (canMove(report.messageStatus, report.status)) next.push(report.reportId);
    else applied.idle.push(report.reportId);
  }
  return next;
}
