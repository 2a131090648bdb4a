import { listBehind } from '@signalbox/database/pushes';
import type { EntityManager } from 'typeorm';
import { type PushWork, firstPushes } from './push-call.ts';
import type { PushResults } from './push-results.ts';
import type { PushTargets } from './push-targets.ts';
import { HAND_OFF_MS, type Pusher } from './pusher.ts';
import type { ReportApplier } from './report.applier.ts';

/** Takes reports from stored to settled. */
export class ReportDesk {
  constructor(
    private readonly db: EntityManager,
    private readonly applier: ReportApplier,
    private readonly targets: PushTargets,
    private readonly pusher: Pusher,
    private readonly results: PushResults,
  ) {}

  /** Applies these reports, makes the first try of each push they call for, and settles them. */
  async settle(reportIds: string[]): Promise<object> {
    const { moved, idle, orphans } = await this.applier.apply(reportIds);
    const targets = await this.targets.of(moved.map((report) => report.accountId));
    const pushes = moved.map((report) => ({ report, works: firstPushes(report, targets.get(report.accountId) ?? []) }));
    await this.putInOrder(pushes.flatMap(({ works }) => works));
    const quiet = idle.map((settles) => this.results.record({ settles, outcomes: [] }));
    await this.handingOff((handOff) =>
      Promise.all([...quiet, ...pushes.map(({ report, works }) => this.pusher.first(works, report.reportId, handOff))]),
    );
    return { moved: moved.length, idle: idle.length, orphans: orphans.length };
  }

  /** A later status is not told before an earlier one of the same message; most messages have one report, and cost nothing here. */
  private async putInOrder(works: PushWork[]): Promise<void> {
    const orders = works.flatMap(({ report: { reportId, earlier }, target }) =>
      (earlier ?? []).map((earlierReportId) => ({ reportId, webhookId: target.id, earlierReportId })),
    );
    if (orders.length === 0) return;
    const behind = new Set((await listBehind(this.db, orders)).map(({ reportId, webhookId }) => `${reportId}_${webhookId}`));
    for (const work of works) if (behind.has(`${work.report.reportId}_${work.target.id}`)) work.behindMs = 0;
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
