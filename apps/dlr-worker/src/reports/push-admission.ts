import { Injectable } from '@nestjs/common';
import { type DeferredBatch, insertDeferred } from '@signalbox/database/reports/deferred';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { Lane } from '@signalbox/domain/lane';
import { type ReportStatus, STATUS_ORDER } from '@signalbox/domain/message-status';
import { REPORT_QUEUES, reportQueueOf } from '@signalbox/queues/definitions';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { IdTable } from '@signalbox/runtime/id-table';
import { EntityManager } from 'typeorm';
import { firstPushes } from '../pushes/pending-push.ts';
import { MAX_PLANNED, type PlannedReport, PushPlan } from '../pushes/push-plan.ts';
import { PushShares } from '../pushes/push-shares.ts';
import { PushTargets } from '../pushes/push-targets.ts';

/**
 * Maximum number of first pushes in progress: it bounds the memory of the process, and how long a further push waits.
 */
const MAX_IN_PROGRESS = 8_000;

/** Maximum for reports about codes, which are counted apart so that others never delay them. */
const MAX_CODES_IN_PROGRESS = 4_000;

/** The reports of a job: those that it pushes, and the others. */
export interface Admitted {
  plan: PushPlan;
  deferred: DeferredBatch[];
}

/**
 * Decides which reports a job pushes. An account whose share of the pushes in progress is used up has its reports
 * deferred: they wait in Postgres, occupy no job, and are pushed round-robin by account.
 */
@Injectable()
export class PushAdmission {
  private readonly shares = {
    codes: new PushShares(MAX_CODES_IN_PROGRESS),
    others: new PushShares(MAX_IN_PROGRESS),
  };
  private readonly deferring = { codes: new Set<string>(), others: new Set<string>() };
  /** The number of pushes of each report that a job has begun. */
  private readonly begun = new IdTable<number>();
  private onFreed: (() => void) | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly targets: PushTargets,
    private readonly throttle: AccountThrottle,
  ) {}

  /**
   * Sets what is called when an account with deferred reports may have room: when pushes of it ended, or reports of it
   * were deferred.
   */
  whenFreed(onFreed: () => void): void {
    this.onFreed = onFreed;
  }

  /** The shares of first pushes: those about codes are counted apart. */
  sharesOf(isCode: boolean): PushShares {
    return isCode ? this.shares.codes : this.shares.others;
  }

  /** Accounts with deferred reports. Their later reports are deferred too, so that none is pushed before an older one. */
  deferringOf(isCode: boolean): Set<string> {
    return isCode ? this.deferring.codes : this.deferring.others;
  }

  /** Plans the pushes of all reports of a deferred batch. Room for them was taken when the batch was claimed. */
  async planAll(reports: readonly AppliedReport[]): Promise<Admitted> {
    return { plan: new PushPlan(await this.planned(reports), true), deferred: [] };
  }

  /** Plans the pushes for which the accounts have room, those of an account with few reports first. */
  async admit(reports: readonly AppliedReport[]): Promise<Admitted> {
    const planned = await this.planned(reports);
    const byAccount = Map.groupBy(planned, ({ report }) => `${isCodeLane(report.lane)} ${report.accountId}`);
    return this.split([...byAccount.values()].toSorted((a, b) => a.length - b.length));
  }

  /** Stores deferred reports, if any. */
  async defer(batches: DeferredBatch[]): Promise<void> {
    if (batches.length === 0) return;
    await insertDeferred(this.db, batches);
    this.onFreed?.();
  }

  /** Frees the share of reports that are settled or abandoned. A repeat is harmless while no job has begun them again. */
  end(reports: Iterable<AppliedReport>): void {
    let isAwaited = false;
    for (const report of reports) {
      const pushes = this.begun.get(report.reportId);
      if (pushes === undefined) continue;
      this.begun.delete(report.reportId);
      const isCode = isCodeLane(report.lane);
      this.sharesOf(isCode).free(report.accountId, pushes);
      isAwaited ||= this.deferringOf(isCode).has(report.accountId);
    }
    if (isAwaited) this.onFreed?.();
  }

  /** Earlier statuses come first, so that no report is begun while one that it follows is deferred or planned later. */
  private async planned(reports: readonly AppliedReport[]): Promise<PlannedReport[]> {
    const targets = await this.targets.ofReports(reports);
    return reports.toSorted(byStatus).map((report) => ({
      report,
      pushes: firstPushes(report, targets.get(report.accountId) ?? []),
    }));
  }

  /** @param accounts the reports of each account */
  private split(accounts: readonly PlannedReport[][]): Admitted {
    const admitted: PlannedReport[] = [];
    const deferred: DeferredBatch[] = [];
    for (const planned of accounts) {
      const { begun, left } = this.begin(planned);
      admitted.push(...begun);
      if (left.length > 0) deferred.push(...batchesOf(left));
    }
    return { plan: new PushPlan(admitted), deferred };
  }

  /**
   * Begins reports of an account, the first ones first, while its share has room for their pushes. A report that no
   * webhook wants needs none.
   */
  private begin(planned: readonly PlannedReport[]): { begun: PlannedReport[]; left: PlannedReport[] } {
    const { accountId, lane } = planned[0]!.report;
    this.throttle.noteActivity(accountId);
    const shares = this.sharesOf(isCodeLane(lane));
    const deferring = this.deferringOf(isCodeLane(lane));
    const [begun, left]: [PlannedReport[], PlannedReport[]] = [[], []];
    const room = deferring.has(accountId) ? 0 : shares.room(accountId);
    let taken = 0;
    for (const each of planned) {
      const count = each.pushes.length;
      if (count > 0 && (left.length > 0 || taken + count > room)) {
        left.push(each);
        continue;
      }
      begun.push(each);
      taken += count;
      if (count > 0) this.begun.set(each.report.reportId, count);
    }
    shares.take(accountId, taken);
    if (left.length > 0) deferring.add(accountId);
    return { begun, left };
  }
}

function isCodeLane(lane: Lane | null): boolean {
  return reportQueueOf(lane) === REPORT_QUEUES.OTP;
}

/** Divides the reports of an account into batches of at most MAX_PLANNED pushes, oldest first. */
function batchesOf(planned: readonly PlannedReport[]): DeferredBatch[] {
  const batches: DeferredBatch[] = [];
  for (const { report, pushes } of planned.toSorted(byId)) {
    const { accountId, lane, reportId } = report;
    const last = batches.at(-1);
    if (last && last.pushes + pushes.length <= MAX_PLANNED) {
      last.reportIds.push(reportId);
      last.pushes += pushes.length;
    } else
      batches.push({ accountId, isCode: isCodeLane(lane), reportIds: [reportId], pushes: pushes.length });
  }
  return batches;
}

function byStatus(a: AppliedReport, b: AppliedReport): number {
  return placeOf(a.status) - placeOf(b.status);
}

/** The place of a status in STATUS_ORDER; that of an event precedes all. */
function placeOf(status: ReportStatus): number {
  const order: readonly string[] = STATUS_ORDER;
  return order.indexOf(status);
}

function byId(a: PlannedReport, b: PlannedReport): number {
  return a.report.reportId < b.report.reportId ? -1 : 1;
}
