import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { countReported } from '@signalbox/messaging/message-metrics';
import { traceReports } from '@signalbox/messaging/message-traces';
import { PushPlan } from './push-plan.ts';
import { PushResults } from './push-results.ts';
import { PushSequencer } from './push-sequencer.ts';
import { PushTargets } from './push-targets.ts';
import { Pusher } from './pusher.ts';
import { ReportApplier } from './report.applier.ts';

/**
 * Settles stored reports: applies them to their messages, makes the first try of each push, and records the outcomes.
 */
@Injectable()
export class ReportPusher {
  constructor(
    private readonly applier: ReportApplier,
    private readonly targets: PushTargets,
    private readonly sequencer: PushSequencer,
    private readonly pusher: Pusher,
    private readonly results: PushResults,
  ) {}

  /** Settles reports. A report is settled once its pushes are recorded. @returns counts for the log line of the job */
  async settle(reportIds: string[]): Promise<object> {
    const startMs = Date.now();
    const closed = reportIds.filter((id) => !this.pusher.isOpen(id));
    const { moved, idle, early, orphans } = await this.applier.apply(closed);
    const plan = this.plan(moved);
    this.sequencer.begin(moved, plan);
    const pushing = new Set(moved);
    countReported(moved);
    traceReports(moved, startMs);
    try {
      const idleSettled = this.settleIdle(idle);
      idleSettled.catch(() => undefined); // thrown below, when no call of this job is in flight
      await this.pushAll(await plan, pushing);
      await idleSettled;
    } finally {
      this.sequencer.end([...pushing]);
    }
    return { moved: moved.length, idle: idle.length, early: early.length, orphans: orphans.length };
  }

  private async plan(reports: AppliedReport[]): Promise<PushPlan> {
    return new PushPlan(reports, await this.targets.ofReports(reports));
  }

  private async settleIdle(idle: string[]): Promise<void> {
    await Promise.all(idle.map((settles) => this.results.record({ settles, outcomes: [] })));
  }

  /**
   * Pushes slice by slice, so that the pushes of one job cannot fill the memory. Reports whose pushes go on without the job
   * leave `pushing`: later statuses of their messages wait for them until they end.
   */
  private async pushAll(plan: PushPlan, pushing: Set<AppliedReport>): Promise<void> {
    for (; plan.current; plan.next()) {
      const slice = plan.current;
      await this.sequencer.arrange(slice.pushes);
      const { late } = await this.pusher.first(slice);
      const end = (): void => this.sequencer.end(slice.reports);
      if (late) void plan.keep(slice, late).then(end);
      else end();
      for (const report of slice.reports) pushing.delete(report);
    }
  }
}
