import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Woken, wakeWaiting } from '@signalbox/database/messages/wake-waiting';
import { listStarvedLanes } from '@signalbox/database/submissions/ready';
import { makeReadyByAccount } from '@signalbox/database/submissions/ready-by-account';
import { makeDueReady } from '@signalbox/database/submissions/submissions';
import type { Lane } from '@signalbox/domain/lane';
import type { JobData } from '@signalbox/queues/define-queue';
import { LANE_QUEUES, type LaneJob } from '@signalbox/queues/definitions';
import type { Queues } from '@signalbox/queues/open-queues';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { Channel } from './channel.ts';
import { Dispatcher } from './dispatcher.ts';
import { LaneLoop, type Served } from './lane-loop.ts';
import { MAX_WAIT_MS } from './routed-submitter.ts';
import type { Openings } from '../gateways/router.ts';

/**
 * Milliseconds for which waiting messages are woken, at the least, once another gateway takes messages: other workers may
 * not know it yet, and let messages wait that it would take.
 */
const WAKE_FOR_MS = 10_000;

/** Maximum messages of a lane that one pass wakes. */
const WAKE_LIMIT = 5_000;

const NO_OPENINGS: Openings = { routes: [], inHours: new Set(), taking: new Map(), steady: undefined };

/** Serves the lanes of the worker's channel. */
@Injectable()
export class Lanes implements OnModuleDestroy {
  private readonly loops: ReadonlyMap<Lane, LaneLoop>;
  /** Resolves once it is known which lanes an operator has paused. */
  private learned: Promise<void> | undefined;
  /** The account after which the next pass by account begins; null for the first. */
  private readyAfter: string | null = null;
  /** The openings at the last call of `wakeWaiting`, if it succeeded. */
  private openings = NO_OPENINGS;
  /** Since when nothing more opened, on the clock of `performance.now()`. */
  private openedAt = -Infinity;
  /** True while more messages wait than the last pass woke. */
  private isWaking = false;

  constructor(
    private readonly db: EntityManager,
    private readonly channel: Channel,
    private readonly dispatcher: Dispatcher,
    throttle: AccountThrottle,
    logger: Logger,
  ) {
    const open = (lane: Lane) => [lane, new LaneLoop(lane, channel, dispatcher, throttle, logger)] as const;
    this.loops = new Map(channel.lanes.map(open));
  }

  /** Serves a job of a lane. @throws Error when the lane is of another channel, or what the dispatch threw */
  serve(lane: Lane, job: JobData<LaneJob>, waitedMs: number): Promise<Served> {
    const loop = this.loops.get(lane);
    if (!loop) throw new Error(`lane ${lane} is not of channel ${this.channel.name}`);
    return loop.serve(job, waitedMs);
  }

  /** The lanes that an operator has paused. */
  get paused(): Lane[] {
    return [...this.loops].flatMap(([lane, loop]) => (loop.isPaused ? [lane] : []));
  }

  /** Submits pending messages of submissions that no worker has claimed. Does not wait; a failure is logged. */
  retry(lane: Lane, submissionIds: readonly string[]): void {
    this.loops.get(lane)?.retry(submissionIds);
  }

  /**
   * Makes scheduled submissions ready whose time has come, and wakes their lanes. When there are more than one statement
   * takes, a second one takes some of each account. The first call waits until it is known which lanes are paused.
   *
   * @returns false when none was due
   */
  async wakeDue(queues: Pick<Queues, 'get'>): Promise<boolean> {
    if (this.dispatcher.outlet === 'elsewhere') return false; // a worker that wakes its own lanes
    await (this.learned ??= this.learnPauses(queues));
    const { lanes, isFull } = await makeDueReady(this.db, this.channel.name);
    this.wake(lanes);
    if (!isFull) return lanes.length > 0;
    const byAccount = await makeReadyByAccount(this.db, this.channel.name, this.readyAfter);
    this.readyAfter = byAccount.next;
    this.wake(byAccount.lanes);
    return true;
  }

  /**
   * Submits messages that other workers released: these gateways are up in this worker, and down in those. No lane waits
   * for another. Resolves when the messages are submitted, also those that an earlier call took; never rejects.
   */
  async takePinned(gateways: readonly string[]): Promise<void> {
    if (gateways.length === 0) return;
    await Promise.all(Array.from(this.loops.values(), (loop) => loop.takePinned(gateways)));
  }

  /**
   * Submits messages that wait because no gateway of their route took any: all of them when one more takes messages,
   * the routes change or the hours of one begin, and one of each lane while a gateway is tested. Each pass wakes up to
   * WAKE_LIMIT of a lane. Those that wait again are not woken again once other workers know the gateway. After a pass
   * that fails, the next one wakes all of them.
   */
  async wakeWaiting(now = performance.now()): Promise<void> {
    const openings = this.dispatcher.readOpenings();
    if (isMore(openings, this.openings)) this.openedAt = now;
    this.openings = NO_OPENINGS;
    const woken = await this.wakeFor(openings, now - this.openedAt);
    this.openings = openings;
    for (const { lane, submissionIds } of woken) this.retry(lane, submissionIds);
  }

  private async wakeFor({ taking }: Openings, sinceMs: number): Promise<Woken<Lane>[]> {
    const takes = new Set(taking.values());
    const isOpening = takes.has('any') && (sinceMs <= WAKE_FOR_MS || this.isWaking);
    if (!isOpening && !takes.has('one')) return [];
    const limit = isOpening ? WAKE_LIMIT : 1;
    const withinMs = isOpening ? MAX_WAIT_MS + WAKE_FOR_MS - sinceMs : MAX_WAIT_MS;
    const woken = await wakeWaiting(this.db, this.channel.lanes, { limit, withinMs });
    this.isWaking = isOpening && woken.some(({ messages }) => messages >= limit);
    return woken;
  }

  /**
   * Wakes the lanes whose ready submissions nobody claims: their job was lost, or the other workers are busy. Each pass
   * learns first which lanes are paused.
   */
  async wakeStarved(queues: Pick<Queues, 'get'>): Promise<void> {
    this.learned = this.learnPauses(queues);
    await this.learned;
    this.wake(await listStarvedLanes(this.db, this.channel.name));
  }

  /** Leaves what is not claimed yet to other workers as soon as a shutdown begins, before jobs are awaited. */
  onModuleDestroy(): void {
    for (const loop of this.loops.values()) loop.end();
  }

  /** Claims nothing more, and resolves when all that was claimed is submitted. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.loops.values(), (loop) => loop.close()));
    await this.dispatcher.idle();
  }

  /** Reads from the queues which lanes an operator has paused. A queue that does not answer changes nothing. */
  private async learnPauses(queues: Pick<Queues, 'get'>): Promise<void> {
    const learn = async ([lane, loop]: readonly [Lane, LaneLoop]): Promise<void> => {
      loop.isPaused = await queues.get(LANE_QUEUES[lane]).admin.isPaused();
    };
    await Promise.allSettled(Array.from(this.loops, learn));
  }

  private wake(lanes: readonly Lane[]): void {
    for (const lane of lanes) this.loops.get(lane)?.wake();
  }
}

/**
 * True when a gateway takes any messages that did not before, or did not when some began to wait, the routes were read
 * again, or the hours of one began.
 */
function isMore(now: Openings, before: Openings): boolean {
  if (now.routes !== before.routes) return true;
  const begins = Array.from(now.inHours).some((route) => !before.inHours.has(route));
  const wasOpen = (name: string): boolean =>
    before.taking.get(name) === 'any' && now.steady?.has(name) !== false;
  const opens = Array.from(now.taking).some(([name, takes]) => takes === 'any' && !wasOpen(name));
  return begins || opens;
}
