import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type DueEndpoint, listDueAmong, listDueEndpoints } from '@signalbox/database/webhooks/due-endpoints';
import { claimProbes, returnProbes } from '@signalbox/database/webhooks/probes';
import { type ClaimedPush, claimPushes } from '@signalbox/database/webhooks/pushes';
import { usableBatch } from '@signalbox/domain/webhooks/push-batch';
import { bisect } from '@signalbox/runtime/bisect';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { Endpoints } from '../endpoints/endpoints.ts';
import { type PendingPush, laterPush } from './pending-push.ts';
import { PushShares, type Room } from './push-shares.ts';
import { PushTargets } from './push-targets.ts';
import { PUSH_LEASE_MS, PushTries } from './push-tries.ts';

/** Maximum number of later tries in progress, over all accounts: it bounds the memory of the process. */
const MAX_IN_PROGRESS = 2_000;

/** Maximum number of later tries of an endpoint in one pass, where several share a call. */
const MAX_BATCHED_ROOM = 500;

/** Maximum number of pushes to claim for an endpoint that needs a probe, after one could not be called. */
const PROBE_ROOM = 20;

/** Minimum milliseconds between passes while an endpoint drains. */
const GAP_MS = 20;

/** Milliseconds until an endpoint whose pushes could not be claimed is checked again. */
const SKIP_MS = 30_000;

/**
 * Makes due pushes: the oldest of each endpoint, as many as its lane has room for. It claims by endpoint, so the cost
 * of a pass does not depend on the length of the backlog, and an endpoint without room costs nothing. While endpoints
 * drain, passes of these alone follow each other. A repeated pass is harmless: it makes only the pushes that it claims.
 */
@Injectable()
export class DuePusher {
  private readonly shares = new PushShares(MAX_IN_PROGRESS);
  /** The current pass, and whether it covers all endpoints. */
  private running: { pass: Promise<void>; isOfAll: boolean } | undefined;
  private wake: NodeJS.Timeout | undefined;
  /** Endpoints whose room was used up, and that may have more due pushes. */
  private readonly draining = new Set<string>();
  /** Endpoints whose last probe was returned. */
  private readonly unprobed = new Set<string>();
  private closed = false;
  /** The endpoint after which the next pass of all begins; null for the first. */
  private after: string | null = null;
  /** Endpoints whose pushes could not be claimed, with the time until which passes skip them. */
  private readonly skipped = new Map<string, number>();

  constructor(
    private readonly db: EntityManager,
    private readonly endpoints: Endpoints,
    private readonly targets: PushTargets,
    private readonly tries: PushTries,
    private readonly logger: Logger,
  ) {}

  /**
   * Runs a pass of all endpoints that wait, of the next 10,000 when there are more, or joins it; resolves at its end.
   * Further passes follow while endpoints drain.
   */
  async pass(): Promise<void> {
    while (this.running?.isOfAll === false) await this.running.pass.catch(() => undefined);
    await (this.running?.pass ?? this.run(true, () => this.listNext()));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.wake);
    await this.running?.pass.catch(() => undefined); // its pushes are still due
  }

  private run(isOfAll: boolean, listDue: () => Promise<DueEndpoint[]>): Promise<void> {
    const pass = this.claim(listDue).finally(() => {
      this.running = undefined;
      this.scheduleDrain();
    });
    this.running = { pass, isOfAll };
    return pass;
  }

  /**
   * Schedules a further pass while endpoints drain. Its errors are dropped: the duty's next pass fails the same way and
   * is logged.
   */
  private scheduleDrain(): void {
    if (this.draining.size === 0 || this.running || this.wake || this.closed) return;
    this.wake = setTimeout(() => {
      this.wake = undefined;
      if (!this.running) this.run(false, () => this.listDraining()).catch(() => undefined);
    }, GAP_MS);
  }

  private async listNext(): Promise<DueEndpoint[]> {
    const { due, next } = await listDueEndpoints(this.db, this.after);
    this.after = next;
    return due;
  }

  private listDraining(): Promise<DueEndpoint[]> {
    const webhookIds = [...this.draining];
    this.draining.clear();
    return listDueAmong(this.db, webhookIds);
  }

  private async claim(listDue: () => Promise<DueEndpoint[]>): Promise<void> {
    await this.endpoints.flushHealth();
    const due = await listDue();
    const rooms = this.shares.fit(due.flatMap((endpoint) => this.roomOf(endpoint)));
    const probed = await this.probes(due, rooms);
    const allowed = rooms.filter(({ webhookId }) => probed.get(webhookId) !== false);
    if (allowed.length === 0) return;
    const withoutProbe = new Set(
      allowed.flatMap(({ webhookId }) => (probed.has(webhookId) ? webhookId : [])),
    );
    try {
      this.start(await this.claimAllowed(allowed, withoutProbe), allowed);
      for (const webhookId of probed.keys()) this.unprobed.delete(webhookId);
      for (const webhookId of withoutProbe) this.unprobed.add(webhookId);
    } finally {
      if (withoutProbe.size > 0) await returnProbes(this.db, [...withoutProbe]);
    }
  }

  /** Claims pushes, and removes from `withoutProbe` the endpoints of which one becomes the probe. */
  private async claimAllowed(allowed: Room[], withoutProbe: Set<string>): Promise<PendingPush[]> {
    const claimed = await this.claimOf(allowed);
    const targets = await this.targets.of(claimed.map((push) => push.accountId));
    return claimed.flatMap((push) => {
      const isProbe = push.behindMs === null && withoutProbe.delete(push.webhookId);
      return laterPush(push, targets.get(push.accountId) ?? [], isProbe) ?? [];
    });
  }

  /**
   * Claims pushes in one statement. An endpoint whose rows fail it is skipped for a while, and the others are claimed
   * without it.
   */
  private async claimOf(rooms: Room[]): Promise<ClaimedPush[]> {
    const claimed: ClaimedPush[] = [];
    const claim = async (part: Room[]): Promise<void> =>
      void claimed.push(...(await claimPushes(this.db, part, PUSH_LEASE_MS / 1000)));
    for (const { item, error } of await bisect(rooms, claim, isRefusedValue)) {
      this.skipped.set(item.webhookId, performance.now() + SKIP_MS);
      this.logger.error({ webhookId: item.webhookId, error }, 'push.claim_failed');
    }
    return claimed;
  }

  private isSkipped(webhookId: string): boolean {
    const until = this.skipped.get(webhookId);
    if (until === undefined) return false;
    if (until <= performance.now()) this.skipped.delete(webhookId);
    return until > performance.now();
  }

  private roomOf(endpoint: DueEndpoint): Room[] {
    const { webhookId, accountId, needsProbe } = endpoint;
    if (this.isSkipped(webhookId)) return [];
    const calls = this.endpoints.laneOf(webhookId, endpoint).room();
    const size = usableBatch(endpoint)?.max ?? 1;
    const room = size === 1 ? calls : Math.min(calls, Math.floor(MAX_BATCHED_ROOM / size)) * size;
    const probes = this.unprobed.has(webhookId) ? PROBE_ROOM : 1;
    return room > 0 ? [{ webhookId, accountId, room: needsProbe ? probes : room }] : [];
  }

  /** Maps endpoints that need a probe to true when this process has claimed it. */
  private async probes(due: DueEndpoint[], rooms: Room[]): Promise<Map<string, boolean>> {
    const open = new Set(due.flatMap(({ webhookId, needsProbe }) => (needsProbe ? [webhookId] : [])));
    const wanted = rooms.flatMap(({ webhookId }) => (open.has(webhookId) ? [webhookId] : []));
    const taken = new Set(wanted.length > 0 ? await claimProbes(this.db, wanted, PUSH_LEASE_MS / 1000) : []);
    return new Map(wanted.map((id) => [id, taken.has(id)]));
  }

  /**
   * Starts pushes. An endpoint whose room was used up may have more due pushes, so another pass follows when these are
   * done.
   */
  private start(pushes: PendingPush[], rooms: Room[]): void {
    const byEndpoint = Map.groupBy(pushes, ({ target }) => target.id);
    for (const { webhookId, accountId, room } of rooms) {
      const due = byEndpoint.get(webhookId) ?? [];
      this.shares.take(accountId, due.length);
      const done = due.map((push) =>
        this.tries.makeLater(push).finally(() => this.shares.free(accountId, 1)),
      );
      if (due.length === room) void Promise.all(done).then(() => this.drain(webhookId));
    }
    this.tries.closeLaterBatches();
  }

  private drain(webhookId: string): void {
    this.draining.add(webhookId);
    this.scheduleDrain();
  }
}
