import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { type FirstPush, firstPushes } from './pending-push.ts';
import { PushResults } from './push-results.ts';
import { PushSequencer } from './push-sequencer.ts';
import { PushTargets } from './push-targets.ts';
import { HAND_OFF_MS, Pusher } from './pusher.ts';
import { ReportApplier } from './report.applier.ts';

/** Settles stored reports: applies them to their messages, makes the first try of each push, and records the outcomes. */
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
    const { moved, idle, early, orphans } = await this.applier.apply(reportIds);
    const pushes = this.plan(moved);
    this.sequencer.begin(moved, pushes);
    try {
      await this.push(moved, idle, await pushes);
    } finally {
      this.sequencer.end(moved);
    }
    return { moved: moved.length, idle: idle.length, early: early.length, orphans: orphans.length };
  }

  private async plan(reports: AppliedReport[]): Promise<FirstPush[]> {
    const targets = await this.targets.of(reports.map((report) => report.accountId));
    return reports.flatMap((report) => firstPushes(report, targets.get(report.accountId) ?? []));
  }

  private async push(moved: AppliedReport[], idle: string[], pushes: FirstPush[]): Promise<void> {
    await this.sequencer.arrange(pushes);
    const byReport = Map.groupBy(pushes, ({ report }) => report.reportId);
    const settled = idle.map((settles) => this.results.record({ settles, outcomes: [] }));
    await withHandOff((handOff) =>
      Promise.all([
        ...settled,
        ...moved.map(({ reportId }) => this.pusher.first(byReport.get(reportId) ?? [], reportId, handOff)),
      ]),
    );
  }
}

/** Runs work with a promise that resolves after HAND_OFF_MS, when its job should wait no longer. */
async function withHandOff(work: (handOff: Promise<void>) => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const handOff = new Promise<void>((resolve) => (timer = setTimeout(resolve, HAND_OFF_MS)));
  try {
    await work(handOff);
  } finally {
    clearTimeout(timer);
  }
}
