import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { FirstPush } from './pending-push.ts';

/** Maximum number of pushes that a job makes at a time. A report with more webhooks has a slice to itself. */
export const MAX_PLANNED = 1_000;

/** A report with its first pushes; none when no webhook wants it. */
export interface PlannedReport {
  report: AppliedReport;
  pushes: FirstPush[];
}

/** Some reports of a job, with all of their first pushes. */
export interface PushSlice {
  reports: AppliedReport[];
  pushes: FirstPush[];
  /** The pushes of each report, by its id. */
  byReport: Map<string, FirstPush[]>;
  /** True for reports of a deferred batch. The rescue leaves them alone until the batch is deleted. */
  isDeferred: boolean;
}

/** Some reports of a slice. Other parts share its `byReport`. */
export type SlicePart = Omit<PushSlice, 'pushes'>;

/**
 * The first pushes of a job's reports, slice by slice, because reports times webhooks can be many. A report is never
 * divided, because it is settled together with its pushes.
 */
export class PushPlan {
  /** The slice being pushed; undefined after the last. */
  current: PushSlice | undefined;
  private readonly kept = new Set<SlicePart>();
  private position = 0;

  constructor(
    private readonly planned: readonly PlannedReport[],
    private readonly isDeferred = false,
  ) {
    this.next();
  }

  /** Proceeds to the next slice, and forgets the one before it. */
  next(): void {
    this.current = undefined;
    if (this.position === this.planned.length) return;
    this.current = this.slice();
  }

  /** Lists the reports of the current slice and of all later ones. */
  listLeft(): AppliedReport[] {
    const later = this.planned.slice(this.position).map(({ report }) => report);
    return [...(this.current?.reports ?? []), ...later];
  }

  /**
   * The planned push of a report; undefined when its webhook does not want the report, `unplanned` outside of this
   * slice and those that are kept.
   */
  find(reportId: string, webhookId: string): FirstPush | 'unplanned' | undefined {
    const slices = this.kept.size === 0 ? [this.current] : [this.current, ...this.kept];
    const planned = slices.find((slice) => slice?.byReport.has(reportId))?.byReport.get(reportId);
    return planned ? planned.find(({ target }) => target.id === webhookId) : 'unplanned';
  }

  /** Keeps reports that were handed off findable until their end. */
  async keep(part: SlicePart, until: Promise<void>): Promise<void> {
    this.kept.add(part);
    await until;
    this.kept.delete(part);
  }

  private slice(): PushSlice {
    const slice: PushSlice = { reports: [], pushes: [], byReport: new Map(), isDeferred: this.isDeferred };
    for (; this.position < this.planned.length; this.position += 1) {
      const { report, pushes } = this.planned[this.position]!;
      if (slice.reports.length > 0 && slice.pushes.length + pushes.length > MAX_PLANNED) break;
      slice.reports.push(report);
      slice.pushes.push(...pushes);
      slice.byReport.set(report.reportId, pushes);
    }
    return slice;
  }
}
