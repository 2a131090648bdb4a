import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { DeferredBatch } from '@signalbox/database/reports/deferred';
import { countReported } from '@signalbox/messaging/telemetry/message-metrics';
import { traceReports } from '@signalbox/messaging/telemetry/message-traces';
import { IdTable } from '@signalbox/runtime/id-table';
import { PushAdmission, type Admitted } from './push-admission.ts';
import type { PushPlan } from '../pushes/push-plan.ts';
import { PushResults } from '../pushes/push-results.ts';
import { PushSequencer } from '../pushes/push-sequencer.ts';
import { FirstPusher } from '../pushes/first-pusher.ts';
import { ReportApplier } from './report.applier.ts';

/**
 * Settles stored reports: applies them to their messages, makes the first try of each push, and records the outcomes.
 */
@Injectable()
export class ReportSettler {
  /**
   * Ids of the reports of running jobs, and of those that are handed off, whose number is limited by the shares of their
   * accounts.
   */
  private readonly inProgress = new IdTable<true>();

  constructor(
    private readonly applier: ReportApplier,
    private readonly admission: PushAdmission,
    private readonly sequencer: PushSequencer,
    private readonly firstPusher: FirstPusher,
    private readonly results: PushResults,
  ) {}

  /**
   * Settles the reports of a job. A report is settled once its pushes are recorded; one whose account has too many in
   * progress is deferred.
   *
   * @returns counts for the log line of the job
   */
  settle(reportIds: string[]): Promise<object> {
    return this.withoutRepeats(reportIds, (mine) => this.settleNow(mine));
  }

  /** Settles deferred reports, and waits for those that are handed off, too. */
  settleDeferred(reportIds: string[]): Promise<object> {
    return this.withoutRepeats(reportIds, async (mine) => {
      const applied = await this.applier.listApplied([...mine]);
      const { handedOff } = await this.push(applied, this.admission.planAll(applied), mine);
      await Promise.all(handedOff);
      return { toPush: applied.length };
    });
  }

  /**
   * Leaves out the reports that this process is settling already. The rescue enqueues a report again when its job takes
   * long, and a second job would push it a second time.
   *
   * @param settle removes from `mine` the reports that end before or after it
   */
  private async withoutRepeats<T>(
    reportIds: string[],
    settle: (mine: Set<string>) => Promise<T>,
  ): Promise<T> {
    const mine = new Set(reportIds.filter((id) => !this.inProgress.has(id)));
    for (const id of mine) this.inProgress.set(id, true);
    try {
      return await settle(mine);
    } finally {
      for (const id of mine) this.inProgress.delete(id);
    }
  }

  private async settleNow(mine: Set<string>): Promise<object> {
    const startMs = Date.now();
    const { toPush, withoutEffect, early, unmatched } = await this.applier.apply([...mine]);
    // left to later jobs, which may begin before this one ends
    for (const id of [...early.map(({ reportId }) => reportId), ...unmatched]) {
      mine.delete(id);
      this.inProgress.delete(id);
    }
    const othersSettled = this.settleWithoutEffect(withoutEffect);
    othersSettled.catch(() => undefined); // thrown below, when no call of this job is in flight
    const pushed = this.push(toPush, this.admission.admit(toPush), mine);
    countReported(toPush);
    traceReports(toPush, startMs);
    const { deferred } = await pushed;
    await othersSettled;
    const counts = {
      toPush: toPush.length,
      withoutEffect: withoutEffect.length,
      early: early.length,
      unmatched: unmatched.length,
    };
    return deferred === 0 ? counts : { ...counts, deferred };
  }

  /**
   * Pushes reports, or defers them. Takes the admission as a promise, so that the sequencer knows the reports in the
   * tick in which they have moved their messages.
   *
   * @param mine loses these reports: each ends when it is settled or deferred, which may be after the job
   */
  private async push(
    toPush: readonly AppliedReport[],
    admitted: Promise<Admitted>,
    mine: Set<string>,
  ): Promise<{ deferred: number; handedOff: Promise<void>[] }> {
    this.sequencer.begin(
      toPush,
      admitted.then(({ plan }) => plan),
    );
    const pushing = new Set(toPush);
    for (const { reportId } of toPush) mine.delete(reportId);
    try {
      const { plan, deferred } = await admitted;
      this.endDeferred(deferred, pushing);
      const isDeferred = this.admission.defer(deferred);
      isDeferred.catch(() => undefined); // thrown below
      const handedOff = await this.pushAll(plan, pushing);
      await isDeferred;
      return { deferred: deferred.reduce((sum, { reportIds }) => sum + reportIds.length, 0), handedOff };
    } finally {
      this.end(pushing);
    }
  }

  /**
   * Ends deferred reports before they are stored: their batch may be claimed before this job ends, and would leave them
   * out while they are in progress.
   *
   * @param pushing loses them
   */
  private endDeferred(batches: readonly DeferredBatch[], pushing: Set<AppliedReport>): void {
    if (batches.length === 0) return;
    const ids = new Set(batches.flatMap(({ reportIds }) => reportIds));
    const deferred = [...pushing].filter(({ reportId }) => ids.has(reportId));
    for (const report of deferred) pushing.delete(report);
    this.end(deferred);
  }

  private async settleWithoutEffect(withoutEffect: string[]): Promise<void> {
    await Promise.all(withoutEffect.map((settles) => this.results.record({ settles, outcomes: [] })));
  }

  /**
   * Pushes slice by slice, and ends the reports of each: immediately, or, when some are handed off, once these are
   * settled. Until then later statuses of their messages wait for them.
   *
   * @param pushing the reports that the caller has to end; those of a slice leave it
   * @returns the ends of the slices with reports that are handed off
   */
  private async pushAll(plan: PushPlan, pushing: Set<AppliedReport>): Promise<Promise<void>[]> {
    const handedOffEnds: Promise<void>[] = [];
    for (; plan.current; plan.next()) {
      const slice = plan.current;
      await this.sequencer.arrange(slice.pushes);
      const { handedOff } = await this.firstPusher.push(slice);
      const end = (): void => {
        this.sequencer.noteDelivered(slice);
        this.end(slice.reports);
      };
      if (handedOff) handedOffEnds.push(plan.keep(slice, handedOff).then(end));
      else end();
      for (const report of slice.reports) pushing.delete(report);
    }
    return handedOffEnds;
  }

  private end(reports: Iterable<AppliedReport>): void {
    const ended = [...reports];
    this.sequencer.end(ended);
    this.admission.end(ended);
    for (const { reportId } of ended) this.inProgress.delete(reportId);
  }
}
