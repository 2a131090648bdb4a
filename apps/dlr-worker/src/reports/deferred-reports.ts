import { Injectable } from '@nestjs/common';
import {
  type ClaimedBatch,
  type DeferredRoom,
  type DeferringAccount,
  claimDeferred,
  deleteDeferred,
  listDeferring,
  renewDeferred,
} from '@signalbox/database/reports/deferred';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { rowsWork } from '@signalbox/messaging/worker/rows-work';
import { runRows } from '@signalbox/messaging/worker/run-rows';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { PushAdmission } from './push-admission.ts';
import { MAX_PLANNED } from '../pushes/push-plan.ts';
import { ReportSettler } from './report-settler.ts';

/** Accounts with deferred reports of each kind that one pass lists; more share several passes. */
const MAX_ACCOUNTS = 1_000;

/** Lease of a batch, renewed while it runs: another worker claims the batches of a killed one after it. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;

/** Seconds until a batch that failed is claimed again. */
const RETRY_SECONDS = 5;

/** Room for one batch of any size, because a claim takes batches until the room is used up. */
const ONE_BATCH = 1;

/** Minimum milliseconds between passes. */
const GAP_MS = 20;

/** A page of the accounts of a kind: those after an account. */
interface Page extends DeferringAccount {
  number: number;
}

/**
 * Pushes deferred reports, as many of each account as its share has room for, the oldest first. A batch that runs again
 * is harmless: it makes only pushes that no earlier run recorded, under the same webhook-id.
 */
@Injectable()
export class DeferredReports {
  private readonly running = new Map<string, Promise<void>>();
  private passing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wakeAt = 0;
  private renewedAt = performance.now();
  private isClosed = false;
  /** For each kind the page that the next pass lists. */
  private pages: readonly Page[] = [true, false].map((isCode) => ({
    isCode,
    accountId: MIN_UUID,
    number: 0,
  }));
  /** For each page the last account that had its chance: others come before it. */
  private readonly lastServed = new Map<string, string>();

  constructor(
    private readonly db: EntityManager,
    private readonly admission: PushAdmission,
    private readonly reports: ReportSettler,
    private readonly throttle: AccountThrottle,
    private readonly logger: Logger,
  ) {
    admission.whenFreed(() => this.wake());
  }

  /** Runs a pass, or joins the current one; resolves when its batches have begun. */
  pass(): Promise<void> {
    this.passing ??= this.claim().finally(() => (this.passing = undefined));
    return this.passing;
  }

  /** Claims nothing more, and resolves when all that was claimed has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.passing?.catch(() => undefined); // the duty logs it
    await Promise.all(this.running.values());
  }

  /** Schedules a pass. Its errors are dropped: the duty's next pass fails the same way and is logged. */
  private wake(afterMs = GAP_MS): void {
    const at = performance.now() + Math.max(afterMs, GAP_MS);
    if (this.isClosed || (this.timer && this.wakeAt <= at)) return;
    clearTimeout(this.timer);
    this.wakeAt = at;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const current = this.passing;
      if (current) void current.catch(() => undefined).then(() => this.wake());
      else this.pass().catch(() => undefined);
    }, at - performance.now());
  }

  private async claim(): Promise<void> {
    if (this.isClosed) return;
    await this.renew();
    const { pages } = this;
    const marked = this.listMarked();
    const accounts = await listDeferring(this.db, pages, MAX_ACCOUNTS);
    this.updateMarks(accounts, marked);
    const rooms = this.takeRooms(pages.flatMap((page) => this.roundRobin(page, accounts)));
    if (rooms.length === 0) return;
    try {
      const batches = await claimDeferred(this.db, rooms, LEASE_SECONDS);
      for (const batch of batches) if (!this.running.has(batch.id)) this.start(batch);
      for (const page of pages) this.noteServed(page, rooms, batches);
    } finally {
      for (const { isCode, accountId, room } of rooms) this.admission.sharesOf(isCode).free(accountId, room);
    }
  }

  /** Extends the leases of the batches in progress. */
  private async renew(): Promise<void> {
    if (this.renewedAt > performance.now() - RENEW_EVERY_MS) return;
    this.renewedAt = performance.now();
    if (this.running.size > 0) await renewDeferred(this.db, [...this.running.keys()], LEASE_SECONDS);
  }

  private listMarked(): DeferringAccount[] {
    return [true, false].flatMap((isCode) =>
      [...this.admission.deferringOf(isCode)].map((accountId) => ({ isCode, accountId })),
    );
  }

  /**
   * Marks the listed accounts as deferring, and moves on to the next pages. An account that was marked before the list
   * was read, would be in it, and is not, has no deferred reports left.
   */
  private updateMarks(accounts: readonly DeferringAccount[], marked: readonly DeferringAccount[]): void {
    const next: Page[] = [];
    for (const { isCode, accountId: after, number } of this.pages) {
      const idsOf = (all: readonly DeferringAccount[]) =>
        all.flatMap((account) => (account.isCode === isCode ? account.accountId : []));
      const ids = idsOf(accounts);
      const listed = new Set(ids);
      const last = ids.length < MAX_ACCOUNTS ? undefined : ids.at(-1)!;
      const marks = this.admission.deferringOf(isCode);
      for (const id of ids) marks.add(id);
      for (const id of idsOf(marked))
        if (id > after && (last === undefined || id <= last) && !listed.has(id)) marks.delete(id);
      next.push({ isCode, accountId: last ?? MIN_UUID, number: last === undefined ? 0 : number + 1 });
    }
    this.pages = next;
  }

  /** Returns the accounts of a page, the one after the last that had its chance first. */
  private roundRobin(page: Page, accounts: readonly DeferringAccount[]): DeferringAccount[] {
    const ofPage = accounts.filter(({ isCode }) => isCode === page.isCode);
    const last = this.lastServed.get(keyOfPage(page)) ?? MIN_UUID;
    const next = Math.max(
      0,
      ofPage.findIndex(({ accountId }) => accountId > last),
    );
    return [...ofPage.slice(next), ...ofPage.slice(0, next)];
  }

  /**
   * Notes the last account of a page that got something. When none did, all batches of those with room are claimed
   * already, so the next pass of the page begins after the last of them.
   */
  private noteServed(
    page: Page,
    rooms: readonly DeferringAccount[],
    batches: readonly DeferringAccount[],
  ): void {
    const served = new Set(batches.map(keyOf));
    const ofPage = rooms.filter(({ isCode }) => isCode === page.isCode);
    const last = ofPage.findLast((room) => served.has(keyOf(room))) ?? ofPage.at(-1);
    if (last) this.lastServed.set(keyOfPage(page), last.accountId);
  }

  /**
   * Takes room for the pushes to claim. An account without a push in progress gets room for at least one batch.
   * While other accounts are active it gets one batch, and is throttled, except for reports about codes. All accounts
   * together get what is left of the maximum.
   */
  private takeRooms(accounts: readonly DeferringAccount[]): DeferredRoom[] {
    const rooms: DeferredRoom[] = [];
    const [ofCodes, ofOthers] = [this.admission.sharesOf(true).left, this.admission.sharesOf(false).left];
    for (const account of accounts) {
      const shares = this.admission.sharesOf(account.isCode);
      const free = shares.room(account.accountId);
      if (free < MAX_PLANNED && !shares.isIdle(account.accountId)) continue;
      const delayMs = account.isCode ? 0 : this.throttle.delayMs(account.accountId);
      if (delayMs > 0) {
        this.wake(delayMs);
        continue;
      }
      const room = this.throttle.areOthersActive(account.accountId) ? ONE_BATCH : Math.max(free, MAX_PLANNED);
      rooms.push({ ...account, room, roomOfAll: account.isCode ? ofCodes : ofOthers });
      shares.take(account.accountId, room);
    }
    return rooms;
  }

  private start(batch: ClaimedBatch): void {
    const { id, isCode, accountId, pushes } = batch;
    const shares = this.admission.sharesOf(isCode);
    shares.take(accountId, pushes);
    const run = this.run(batch).finally(() => {
      this.running.delete(id);
      shares.free(accountId, pushes);
      this.wake();
    });
    this.running.set(id, run);
  }

  /** Runs a batch like a job. One that fails is claimed again; never rejects. */
  private async run({ id, accountId, reportIds, starts }: ClaimedBatch): Promise<void> {
    const work = rowsWork(
      this.db,
      'message_event',
      () => this.isClosed,
      (ids) => this.reports.settleDeferred(ids),
    );
    try {
      await runRows({ data: { ids: reportIds }, attemptsStarted: starts }, work);
      await deleteDeferred(this.db, [id]);
    } catch (error) {
      this.logger.warn({ accountId, batchId: id, starts, error }, 'report.deferred_failed');
      await renewDeferred(this.db, [id], RETRY_SECONDS).catch(() => undefined); // else claimed after its lease
    }
  }
}

const keyOf = ({ isCode, accountId }: DeferringAccount): string =>
  `${isCode ? 'codes' : 'others'} ${accountId}`;

const keyOfPage = ({ isCode, number }: Page): string => `${isCode ? 'codes' : 'others'} ${number}`;
