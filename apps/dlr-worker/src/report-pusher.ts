import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { countReported } from '@signalbox/messaging/message-metrics';
import { traceReports } from '@signalbox/messaging/message-traces';
import { PushPlan, type PushSlice } from './push-plan.ts';
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
    const { moved, idle, early, orphans } = await this.applier.apply(reportIds);
    const plan = this.plan(moved);
    this.sequencer.begin(moved, plan);
    countReported(moved);
    traceReports(moved, startMs);
    try {
      const idleSettled = this.settleIdle(idle);
      idleSettled.catch(() => undefined); // thrown below, when no call of this job is in flight
      await this.pushAll(await plan);
      await idleSettled;
    } finally {
      this.sequencer.end(moved);
    }
    return { moved: moved.length, idle: idle.length, early: early.length, orphans: orphans.length };
  }

  private async plan(reports: AppliedReport[]): Promise<PushPlan> {
    return new PushPlan(reports, await this.targets.ofReports(reports));
  }

  private async settleIdle(idle: string[]): Promise<void> {
    await Promise.all(idle.map((settles) => this.results.record({ settles, outcomes: [] })));
  }

  /** Pushes slice by slice, so that the pushes of one job cannot fill the memory. */
  private async pushAll(plan: PushPlan): Promise<void> {
    for (; plan.current; plan.next()) {
      await this.push(plan.current);
      this.sequencer.end(plan.current.reports);
    }
  }

  private async push(slice: PushSlice): Promise<void> {
    await this.sequencer.arrange(slice.pushes);
    await this.pusher.first(slice);
  }
}
