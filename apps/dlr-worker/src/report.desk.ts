import type { AppliedReport } from '@signalbox/database/reports/reports';
import { type FirstPush, firstPushes } from './push-call.ts';
import type { PushSequencer } from './push-sequencer.ts';
import type { PushResults } from './push-results.ts';
import type { PushTargets } from './push-targets.ts';
import { HAND_OFF_MS, type Pusher } from './pusher.ts';
import type { ReportApplier } from './report.applier.ts';

/** Takes reports from stored to settled. */
export class ReportDesk {
  constructor(
    private readonly applier: ReportApplier,
    private readonly targets: PushTargets,
    private readonly order: PushSequencer,
    private readonly pusher: Pusher,
    private readonly results: PushResults,
  ) {}

  /** Applies these reports, makes the first try of each push they call for, and settles them. */
  async settle(reportIds: string[]): Promise<object> {
    const { moved, idle, early, orphans } = await this.applier.apply(reportIds);
    const works = this.plan(moved);
    this.order.begin(moved, works);
    try {
      await this.tell(moved, idle, await works);
    } finally {
      this.order.end(moved);
    }
    return { moved: moved.length, idle: idle.length, early: early.length, orphans: orphans.length };
  }

  private async plan(reports: AppliedReport[]): Promise<FirstPush[]> {
    const targets = await this.targets.of(reports.map((report) => report.accountId));
    return reports.flatMap((report) => firstPushes(report, targets.get(report.accountId) ?? []));
  }

  private async tell(moved: AppliedReport[], idle: string[], works: FirstPush[]): Promise<void> {
    await this.order.arrange(works);
    const byReport = Map.groupBy(works, ({ report }) => report.reportId);
    const quiet = idle.map((settles) => this.results.record({ settles, outcomes: [] }));
    await this.handingOff((handOff) =>
      Promise.all([
        ...quiet,
        ...moved.map(({ reportId }) => this.pusher.first(byReport.get(reportId) ?? [], reportId, handOff)),
      ]),
    );
  }

  /** Gives work a promise that resolves when it should wait no longer, and takes the timer away when it ends sooner. */
  private async handingOff(work: (handOff: Promise<void>) => Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const handOff = new Promise<void>((resolve) => (timer = setTimeout(resolve, HAND_OFF_MS)));
    try {
      await work(handOff);
    } finally {
      clearTimeout(timer);
    }
  }
}
