import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { DeferredBatch } from '@signalbox/database/reports/deferred';
import { countReported } from '@signalbox/messaging/telemetry/message-metrics';
import { traceReports } from '@signalbox/messaging/telemetry/message-traces';
import { IdTable } from '@signalbox/runtime/id-table';
import { PushAdmission, type Admitted } from './push-admission.ts';
import type { PushPlan, SlicePart } from '../pushes/push-plan.ts';
import { PushResults } from '../pushes/push-results.ts';
import { PushSequencer } from '../pushes/push-sequencer.ts';
import { FirstPusher } from '../pushes/first-pusher.ts';
import { type Applied, ReportApplier } from './report.applier.ts';

/**
 * Settles stored reports: applies them to their messages, makes the first try of each push, and records the outcomes.
 */
@Injectable()
export class ReportSettler {
  /**
   * Ids of the reports that a job applies or pushes. The rescue enqueues a report again when its job takes long, and a
   * second job would push it a second time.
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
   * Settles the reports of a job, except those in progress. A report is settled once its pushes are recorded; one whose
   * account has no room for them is deferred.
   *
   * @returns counts for the log line of the job
   */
  async settle(reportIds: string[]): Promise<object> {
    const startMs = Date.now();
    const claimed = this.claim(reportIds);
    let applied: Applied;
    try {
      applied = await this.applier.apply(claimed);
    } finally {
      this.release(claimed); // those to push are claimed again below, before another job runs
    }
    const { toPush, withoutEffect, early, unmatched } = applied;
    const othersSettled = this.settleWithoutEffect(withoutEffect);
    othersSettled.catch(() => undefined); // thrown below, when no call of this job is in flight
    const pushed = this.push(toPush, this.admission.admit(toPush));
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

  /** Settles deferred reports, except those in progress, and waits for those that are handed off, too. */
  async settleDeferred(reportIds: string[]): Promise<object> {
    const claimed = this.claim(reportIds);
    let toPush: AppliedReport[];
    try {
      toPush = await this.applier.listApplied(claimed);
    } finally {
      this.release(claimed); // those to push are claimed again below, before another job runs
    }
    const { handedOff } = await this.push(toPush, this.admission.planAll(toPush));
    await Promise.all(handedOff);
    return { toPush: toPush.length };
  }

  /** Claims the reports that are not in progress. @returns their ids */
  private claim(reportIds: readonly string[]): string[] {
    const claimed = reportIds.filter((id) => !this.inProgress.has(id));
    for (const id of claimed) this.inProgress.set(id, true);
    return claimed;
  }

  private release(reportIds: readonly string[]): void {
    for (const id of reportIds) this.inProgress.delete(id);
  }

  private async settleWithoutEffect(withoutEffect: string[]): Promise<void> {
    await Promise.all(withoutEffect.map((settles) => this.results.record({ settles, outcomes: [] })));
  }

  /**
   * Pushes reports, or defers them. Takes the admission as a promise, so that the sequencer knows the reports in the
   * tick in which they have moved their messages.
   *
   * @returns the number of deferred reports, and the ends of the reports that are handed off
   * @throws the first error, once all reports have ended, except those that are handed off
   */
  private async push(
    toPush: readonly AppliedReport[],
    admitted: Promise<Admitted>,
  ): Promise<{ deferred: number; handedOff: Promise<void>[] }> {
    this.begin(toPush, admitted);
    const { plan, deferred } = await admitted.catch((error: unknown) => {
      this.end(toPush);
      throw error;
    });
    const stored = this.defer(deferred);
    stored.catch(() => undefined); // thrown below
    const handedOff = await this.pushAll(plan);
    await stored;
    return { deferred: deferred.reduce((sum, { reportIds }) => sum + reportIds.length, 0), handedOff };
  }

  private begin(reports: readonly AppliedReport[], admitted: Promise<Admitted>): void {
    this.sequencer.begin(
      reports,
      admitted.then(({ plan }) => plan),
    );
    for (const { reportId } of reports) this.inProgress.set(reportId, true);
  }

  /**
   * Ends reports, and then stores them as deferred: their batch may be claimed before this job ends, and would leave out
   * those in progress.
   */
  private defer(batches: DeferredBatch[]): Promise<void> {
    for (const { reportIds } of batches) this.endIds(reportIds);
    return this.admission.defer(batches);
  }

  /**
   * Pushes a plan slice by slice. The reports of a slice end when they are settled, which may be after the job for those
   * that are handed off. Until then later statuses of their messages wait for them.
   *
   * @returns the ends of the reports that are handed off
   */
  private async pushAll(plan: PushPlan): Promise<Promise<void>[]> {
    const handedOffEnds: Promise<void>[] = [];
    try {
      for (; plan.current; plan.next()) {
        const slice = plan.current;
        await this.sequencer.arrange(slice.pushes);
        for (const { part, handedOffEnd } of await this.firstPusher.push(slice))
          if (handedOffEnd) handedOffEnds.push(plan.keep(part, handedOffEnd).then(() => this.endPart(part)));
          else this.endPart(part);
      }
    } finally {
      this.end(plan.listLeft()); // none, unless a slice failed
    }
    return handedOffEnds;
  }

  private endPart(part: SlicePart): void {
    this.sequencer.noteDelivered(part);
    this.end(part.reports);
  }

  private end(reports: readonly AppliedReport[]): void {
    this.admission.end(reports);
    this.endIds(reports.map(({ reportId }) => reportId));
  }

  private endIds(reportIds: readonly string[]): void {
    this.sequencer.end(reportIds);
    this.release(reportIds);
  }
}
