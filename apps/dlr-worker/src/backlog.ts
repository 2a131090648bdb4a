import { type DueEndpoint, listDueEndpoints, claimProbes } from '@signalbox/database/webhooks/endpoints';
import { claimPushes } from '@signalbox/database/webhooks/pushes';
import type { EntityManager } from 'typeorm';
import type { Endpoints } from './endpoints.ts';
import { type PushWork, laterPush } from './push-call.ts';
import type { PushTargets } from './push-targets.ts';
import { PUSH_LEASE_MS, type Pusher } from './pusher.ts';

/** Later tries of all end points together that this process has under way, so that it stays of a bounded size. */
const MAX_UNDER_WAY = 2_000;

/** Passes of an end point that drains follow one another no faster. */
const GAP_MS = 20;

interface Room {
  webhookId: string;
  room: number;
}

/**
 * Makes the pushes that wait: of each end point whose time has come, the oldest, as many as it can take now. It asks by end point,
 * so a backlog costs the same whatever its length, and an end point without room costs nothing. A pass is harmless to repeat:
 * only what it claims is made.
 */
export class Backlog {
  private underWay = 0;
  private running: Promise<void> | undefined;
  private wake: NodeJS.Timeout | undefined;
  private again = false;
  private closed = false;

  constructor(
    private readonly db: EntityManager,
    private readonly endpoints: Endpoints,
    private readonly targets: PushTargets,
    private readonly pusher: Pusher,
  ) {}

  /** One pass, and further ones for as long as an end point drains. Resolves after the first; one under way is joined. */
  pass(): Promise<void> {
    this.running ??= this.claim().finally(() => {
      this.running = undefined;
      this.goOn();
    });
    return this.running;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.wake);
    await this.running;
  }

  /** What fails in such a pass is told of by the next regular one. */
  private goOn(): void {
    if (!this.again || this.running || this.wake || this.closed) return;
    this.wake = setTimeout(() => {
      this.wake = undefined;
      this.pass().catch(() => undefined);
    }, GAP_MS);
  }

  private async claim(): Promise<void> {
    this.again = false;
    await this.endpoints.tell();
    const due = await listDueEndpoints(this.db);
    const rooms = fit(
      due.flatMap((endpoint) => this.roomOf(endpoint)),
      MAX_UNDER_WAY - this.underWay,
    );
    const probed = await this.probes(due, rooms);
    const allowed = rooms.filter(({ webhookId }) => probed.get(webhookId) !== false);
    if (allowed.length === 0) return;
    const claimed = await claimPushes(this.db, allowed, PUSH_LEASE_MS / 1000);
    const targets = await this.targets.of(claimed.map((push) => push.accountId));
    const works = claimed.flatMap(
      (push) => laterPush(push, targets.get(push.accountId) ?? [], probed.get(push.webhookId) ?? false) ?? [],
    );
    this.start(works, allowed);
  }

  private roomOf({ webhookId, needsProbe, ...limits }: DueEndpoint): Room[] {
    const room = this.endpoints.laneOf(webhookId, limits).room();
    return room > 0 ? [{ webhookId, room: needsProbe ? 1 : room }] : [];
  }

  /** @returns for the end points that need a probe, whether it is ours to make */
  private async probes(due: DueEndpoint[], rooms: Room[]): Promise<Map<string, boolean>> {
    const open = new Set(due.flatMap(({ webhookId, needsProbe }) => (needsProbe ? [webhookId] : [])));
    const wanted = rooms.flatMap(({ webhookId }) => (open.has(webhookId) ? [webhookId] : []));
    const taken = new Set(wanted.length > 0 ? await claimProbes(this.db, wanted, PUSH_LEASE_MS / 1000) : []);
    return new Map(wanted.map((id) => [id, taken.has(id)]));
  }

  /** An end point that had as many due as it had room for may have more: it is asked again when these are done. */
  private start(works: PushWork[], rooms: Room[]): void {
    const byEndpoint = Map.groupBy(works, ({ target }) => target.id);
    for (const { webhookId, room } of rooms) {
      const mine = byEndpoint.get(webhookId) ?? [];
      this.underWay += mine.length;
      const done = mine.map((work) => this.pusher.later(work).finally(() => (this.underWay -= 1)));
      if (mine.length === room) void Promise.all(done).then(() => this.drainOn());
    }
  }

  private drainOn(): void {
    this.again = true;
    this.goOn();
  }
}

/** Cuts rooms to what is left for all, each end point by the same part. */
function fit(rooms: Room[], left: number): Room[] {
  const wanted = rooms.reduce((sum, { room }) => sum + room, 0);
  if (wanted <= left) return rooms;
  return rooms.flatMap(({ webhookId, room }) => {
    const part = Math.ceil((room * Math.max(0, left)) / wanted);
    return part > 0 ? [{ webhookId, room: part }] : [];
  });
}
