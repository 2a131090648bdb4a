import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { countReported } from '@signalbox/messaging/message-metrics';
import { traceReports } from '@signalbox/messaging/message-traces';
import { Admission, type Admitted } from './admission.ts';
import type { PushPlan } from './push-plan.ts';
import { PushResults } from './push-results.ts';
import { PushSequencer } from './push-sequencer.ts';
import { Pusher } from './pusher.ts';
import { ReportApplier } from './report.applier.ts';

/**
 * Settles stored reports: applies them to their messages, makes the first try of each push, and records the outcomes.
 */
@Injectable()
export class ReportPusher {
  constructor(
    private readonly applier: ReportApplier,
    private readonly admission: Admission,
    private readonly sequencer: PushSequencer,
    private readonly pusher: Pusher,
    private readonly results: PushResults,
  ) {}

  /**
   * Settles the reports of a job. A report is settled once its pushes are recorded; one whose account has too many in
   * progress is deferred.
   *
   * @returns counts for the log line of the job
   */
  async settle(reportIds: string[]): Promise<object> {
    const { late: _, ...counts } = await this.run(reportIds, (moved) => this.admission.admit(moved));
    return counts;
  }

  /** Settles deferred reports, and waits for all of their first tries. */
  async settleDeferred(reportIds: string[]): Promise<object> {
    const { late, ...counts } = await this.run(reportIds, (moved) => this.admission.planAll(moved));
    await Promise.all(late);
    return counts;
  }

  private async run(
    reportIds: string[],
    admit: (moved: AppliedReport[]) => Promise<Admitted>,
  ): Promise<{ late: Promise<void>[] }> {
    const startMs = Date.now();
    const closed = reportIds.filter((id) => !this.pusher.isOpen(id));
    const { moved, idle, early, orphans } = await this.applier.apply(closed);
    const admitted = admit(moved);
    this.sequencer.begin(
      moved,
      admitted.then(({ plan }) => plan),
    );
    const pushing = new Set(moved);
    countReported(moved);
    traceReports(moved, startMs);
    try {
      const idleSettled = this.settleIdle(idle);
      idleSettled.catch(() => undefined); // thrown below, when no call of this job is in flight
      const { plan, deferred } = await admitted;
      const isDeferred = this.admission.defer(deferred);
      isDeferred.catch(() => undefined);
      const late = await this.pushAll(plan, pushing);
      await Promise.all([idleSettled, isDeferred]);
      const counts = { moved: moved.length, idle: idle.length, early: early.length, orphans: orphans.length };
      return { ...counts, ...deferredCount(deferred), late };
    } finally {
      this.end(pushing);
    }
  }

  private async settleIdle(idle: string[]): Promise<void> {
    await Promise.all(idle.map((settles) => this.results.record({ settles, outcomes: [] })));
  }

  /**
   * Pushes slice by slice. Reports whose pushes go on without the job leave `pushing`: later statuses of their messages
   * wait for them until they end.
   *
   * @returns the ends of those
   */
  private async pushAll(plan: PushPlan, pushing: Set<AppliedReport>): Promise<Promise<void>[]> {
    const ends: Promise<void>[] = [];
    for (; plan.current; plan.next()) {
      const slice = plan.current;
      await this.sequencer.arrange(slice.pushes);
      const { late } = await this.pusher.first(slice);
      const end = (): void => this.end(slice.reports);
      if (late) ends.push(plan.keep(slice, late).then(end));
      else end();
      for (const report of slice.reports) pushing.delete(report);
    }
    return ends;
  }

  private end(reports: Iterable<AppliedReport>): void {
    const ended = [...reports];
    this.sequencer.end(ended);
    this.admission.end(ended);
  }
}

function deferredCount(deferred: Admitted['deferred']): { deferred?: number } {
  if (deferred.length === 0) return {};
  return { deferred: deferred.reduce((sum, { reportIds }) => sum + reportIds.length, 0) };
}
