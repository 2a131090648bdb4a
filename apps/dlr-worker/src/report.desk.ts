import { type PushKey, claimPushes } from '@signalbox/database/pushes';
import type { EntityManager } from 'typeorm';
import { firstPushes, laterPush } from './push-call.ts';
import type { PushResults } from './push-results.ts';
import type { PushTargets } from './push-targets.ts';
import { HAND_OFF_MS, PUSH_LEASE_MS, type Pusher } from './pusher.ts';
import type { ReportApplier } from './report.applier.ts';

/** Takes reports from stored to settled, and pushes from waiting to done. */
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
    const quiet = idle.map((settles) => this.results.record({ settles, outcomes: [] }));
    await this.handingOff((handOff) =>
      Promise.all([
        ...quiet,
        ...moved.map((report) => this.pusher.push(firstPushes(report, targets.get(report.accountId) ?? []), report.reportId, handOff)),
      ]),
    );
    return { moved: moved.length, idle: idle.length, orphans: orphans.length };
  }

  /** Makes the next try of those of these pushes that are due and that nobody else holds. */
  async retry(keys: PushKey[]): Promise<object> {
    const claimed = await claimPushes(this.db, keys, PUSH_LEASE_MS / 1000);
    const targets = await this.targets.of(claimed.map((push) => push.accountId));
    const works = claimed.flatMap((push) => laterPush(push, targets.get(push.accountId) ?? []) ?? []);
    await this.handingOff((handOff) => Promise.all(works.map((work) => this.pusher.push([work], null, handOff))));
    return { claimed: claimed.length };
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
