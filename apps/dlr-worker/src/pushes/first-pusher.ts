import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { millisOf } from '@signalbox/domain/id-time';
import { MAX_BATCH_WAIT_MS } from '@signalbox/domain/webhooks/push-batch';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { HandOffTimer } from './hand-off-timer.ts';
import type { FirstPush } from './pending-push.ts';
import type { PushSlice, SlicePart } from './push-plan.ts';
import { PushResults } from './push-results.ts';
import { PushTries } from './push-tries.ts';
import type { TryEnd } from './push-try.ts';
import { ReportPushes, Settlement } from './report-pushes.ts';

/**
 * Milliseconds that a job waits for its calls. A slower call is handed off: it continues without its job, and its
 * outcome is recorded when it ends. A call to an unhealthy endpoint is handed off immediately.
 */
const HAND_OFF_MS = 1_000;

/** Milliseconds between the times at which a job checks whether the endpoints that it waits for are slow. */
const CHECK_MS = 100;

/** Pushes that begin in one tick of the event loop. */
const PER_TICK = 100;

/**
 * Maximum age of reports that are settled after their job. The rescue would soon regard older ones as lost, so their job
 * records that their pushes are in flight.
 */
const MAX_UNSETTLED_AGE_MS = 6_000;

/**
 * Maximum age of the reports of an account that seems to be alone. When older ones are pushed, more wait than the
 * endpoint takes, and those of other accounts may wait behind them, in jobs that no process has read yet.
 */
const MAX_ALONE_AGE_MS = 1_000;

/** The reason why no job waits for the pushes to a webhook: it takes batches, or its endpoint is slow. */
type HandOffReason = 'batched' | 'slow';

/** Reports of a slice that were pushed together. */
export interface PushedPart {
  part: SlicePart;
  /**
   * Set when the pushes continue without their job. Resolves when the reports are settled. For old ones, which are
   * settled earlier, also when the calls that were handed off with them have ended, or after a second.
   */
  handedOffEnd?: Promise<void>;
}

/** A part, and what its job waits for. */
interface Settling extends PushedPart {
  awaited?: Promise<void>;
}

/** Makes the first pushes of reports, and settles the reports. A job waits a second at most, and for no slow endpoint. */
@Injectable()
export class FirstPusher {
  constructor(
    private readonly tries: PushTries,
    private readonly results: PushResults,
    private readonly throttle: AccountThrottle,
  ) {}

  /**
   * Makes the first tries of all pushes of a slice, or postpones them, and settles each report with the outcomes of
   * its pushes. Resolves when they are recorded, or after a second, when slower calls are handed off. Batches and calls
   * to slow endpoints are handed off immediately, because they would delay the jobs of other accounts. If this process
   * ends before these do, the rescue finds their reports, or their pushes are due again.
   *
   * @returns all reports of the slice, in parts
   * @throws the first error of an awaited report, once every report is settled or has failed, because the next run of
   * the job would repeat the calls of the others
   */
  async push(slice: PushSlice): Promise<PushedPart[]> {
    const reasons = await this.reasonsOf(slice.pushes);
    const parts = partsOf(slice, reasons);
    const settlings: Settling[] = [];
    if (parts.batched) settlings.push(this.pushWithoutJob(parts.batched, HAND_OFF_MS + MAX_BATCH_WAIT_MS));
    if (parts.slow) settlings.push(this.pushWithoutJob(parts.slow, HAND_OFF_MS));
    try {
      if (parts.awaited) settlings.push(await this.pushAwaited(parts.awaited));
      for (const { awaited } of settlings) await awaited;
    } catch (error) {
      await allEnded(settlings);
      throw error;
    }
    return settlings;
  }

  /** Finds the webhooks whose pushes no job waits for, each with the reason. */
  private async reasonsOf(pushes: readonly FirstPush[]): Promise<Map<string, HandOffReason>> {
    const reasons = this.reasonsNow(pushes);
    if (![...reasons.values()].includes('slow')) return reasons;
    await answersDelivered();
    return this.reasonsNow(pushes);
  }

  private reasonsNow(pushes: readonly FirstPush[]): Map<string, HandOffReason> {
    const reasons = new Map<string, HandOffReason>();
    let last: FirstPush['target'] | undefined;
    for (const push of pushes) {
      if (push.target === last) continue;
      last = push.target;
      if (push.target.batch) reasons.set(push.target.id, 'batched');
      else if (this.isSlow(push)) reasons.set(push.target.id, 'slow');
    }
    return reasons;
  }

  private isSlow(push: FirstPush): boolean {
    return this.tries.laneOf(push).isSlow(this.mayDelayOthers(push));
  }

  private mayDelayOthers({ target, report }: FirstPush): boolean {
    return (
      this.throttle.areOthersActive(target.accountId) ||
      Date.now() - millisOf(report.reportId) > MAX_ALONE_AGE_MS
    );
  }

  private pushWithoutJob(part: SlicePart, handOffMs: number): Settling {
    const timer = this.handOffAfter(handOffMs);
    return this.handOff(part, this.settleAll(part, timer), timer);
  }

  /** Waits until reports are settled, or until one of their endpoints turns out to be slow. */
  private async pushAwaited(part: SlicePart): Promise<Settling> {
    const handOffTimer = this.handOffAfter(HAND_OFF_MS);
    const settled = this.settleAll(part, handOffTimer);
    const slow = Promise.withResolvers<'slow'>();
    const isSlow = (push: FirstPush): boolean => !push.outcome && this.isSlow(push);
    const check = (): void => {
      if (part.reports.some(({ reportId }) => part.byReport.get(reportId)!.some(isSlow)))
        slow.resolve('slow');
    };
    const timer = setInterval(() => void answersDelivered().then(check), CHECK_MS);
    try {
      if ((await Promise.race([settled, slow.promise])) !== 'slow') return { part };
    } finally {
      clearInterval(timer);
    }
    return this.handOff(part, settled, handOffTimer);
  }

  /**
   * Lets reports be settled without their job. Old ones are settled now, with their pushes in flight, and the job waits
   * until that is recorded.
   */
  private handOff(part: SlicePart, settled: Promise<void>, timer: HandOffTimer): Settling {
    if (!mayBeRescued(part)) return { part, handedOffEnd: this.tries.finishWithoutJob(settled) };
    timer.pass();
    const ended = settled.then(
      () => Promise.race([timer.handedOffEnded(), delay(HAND_OFF_MS, undefined, { ref: false })]),
      () => undefined, // thrown to the job, which waits for its other reports first
    );
    return { part, awaited: settled, handedOffEnd: this.tries.finishWithoutJob(ended) };
  }

  private handOffAfter(afterMs: number): HandOffTimer {
    return new HandOffTimer((pushTry) => this.tries.handOff(pushTry), afterMs);
  }

  /** @throws the first error, once every report is settled or has failed */
  private async settleAll({ reports, byReport }: SlicePart, timer: HandOffTimer): Promise<void> {
    const settlement = new Settlement(reports.length);
    for (const [i, some] of ticksOf(reports, byReport).entries()) {
      if (i > 0) await new Promise(setImmediate);
      for (const { reportId } of some) {
        const pushes = byReport.get(reportId) ?? [];
        this.makeFirst(pushes, timer, new ReportPushes(reportId, pushes, this.results, settlement));
      }
    }
    try {
      await settlement.done;
    } finally {
      timer.cancel();
    }
  }

  /** Makes the first tries of a report's pushes, and settles the report with their outcomes. */
  private makeFirst(pushes: FirstPush[], timer: HandOffTimer, report: ReportPushes): void {
    if (pushes.length === 0) return report.settle();
    try {
      for (const push of pushes) this.pushInOrder(push, timer, report);
    } catch (error) {
      report.reject(error);
    }
  }

  /**
   * Makes a first try after the earlier pushes of its message. Postpones it unless all of them have ended by the
   * hand-off.
   */
  private pushInOrder(push: FirstPush, timer: HandOffTimer, end: TryEnd): void {
    if (push.after.length === 0) return this.tries.makeFirst(push, timer, end);
    Promise.race([Promise.all(push.after), timer.passed])
      .then((earlier) => {
        const isBehind = earlier === undefined || earlier.some(({ status }) => status === 'WAITING');
        this.tries.makeFirst(isBehind ? { ...push, behindMs: 0 } : push, timer, end);
      })
      .catch((error: unknown) => end.reject(error));
  }
}

/**
 * Resolves once the answers are delivered that came while this process paused, so that their endpoints do not seem
 * silent. The first setImmediate runs once they are read, the second once `PushAttempt` has delivered them.
 */
async function answersDelivered(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

async function allEnded(settlings: readonly Settling[]): Promise<void> {
  await Promise.allSettled(settlings.flatMap(({ awaited, handedOffEnd }) => awaited ?? handedOffEnd ?? []));
}

/** Divides the reports of a slice into those that no job waits for, by the reason, and the others. */
function partsOf(
  slice: PushSlice,
  reasons: ReadonlyMap<string, HandOffReason>,
): Partial<Record<HandOffReason | 'awaited', SlicePart>> {
  if (reasons.size === 0) return { awaited: slice };
  const { byReport, isDeferred } = slice;
  const groups = Object.groupBy(
    slice.reports,
    ({ reportId }) => reasonOf(byReport.get(reportId)!, reasons) ?? 'awaited',
  );
  return Object.fromEntries(
    Object.entries(groups).map(([reason, reports]) => [reason, { reports, byReport, isDeferred }]),
  );
}

/** True when the rescue would soon regard one of the reports as lost, were it unsettled and without a job. */
function mayBeRescued({ reports, isDeferred }: SlicePart): boolean {
  const oldest = Date.now() - MAX_UNSETTLED_AGE_MS;
  return !isDeferred && reports.some(({ reportId }) => millisOf(reportId) < oldest);
}

/** Returns the reason why no job waits for a report: that of any of its webhooks; undefined when a job waits. */
function reasonOf(
  pushes: readonly FirstPush[],
  reasons: ReadonlyMap<string, HandOffReason>,
): HandOffReason | undefined {
  const found = new Set(pushes.map(({ target }) => reasons.get(target.id)));
  if (found.has('batched')) return 'batched';
  return found.has('slow') ? 'slow' : undefined;
}

/** Divides reports, so that the pushes of one tick delay other work by a few milliseconds. */
function ticksOf(reports: readonly AppliedReport[], byReport: PushSlice['byReport']): AppliedReport[][] {
  const ticks: AppliedReport[][] = [[]];
  let pushes = 0;
  for (const report of reports) {
    if (pushes >= PER_TICK) {
      ticks.push([]);
      pushes = 0;
    }
    ticks.at(-1)!.push(report);
    pushes += byReport.get(report.reportId)?.length ?? 0;
  }
  return ticks;
}
