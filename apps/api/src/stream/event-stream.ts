import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type Change, type ChangeKind, listChanges, readMarks } from '@signalbox/database/ops/changes';
import { countParked } from '@signalbox/database/ops/starts';
import { Queues } from '@signalbox/queues/open-queues';
import { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import { OperationMarks } from './operation-marks.ts';
import type { Subscriber } from './subscriber.ts';

const MAX_OF_ACCOUNT = 50;
const MAX_OF_PROCESS = 2_000;

const POLL_MS = 1_000;
/** Polls between two heartbeats, and between two checks of keys and sessions. */
const BEAT_EVERY = 15;
const CHECK_EVERY = 2;
/** Polls between two counts of parked rows, which come hours after their first failure. */
const PARKED_EVERY = 5;

/**
 * Rows are read for longer than a poll, because an id is older than the commit of its row. When they are no longer
 * read, a second event follows: by then the next step of a row, such as the submit of a message, has usually happened
 * too.
 */
const READ_SECONDS = 4;

/** The longest pause between two polls, as of a busy process, whose rows are read afterwards. */
const MAX_PAUSE_SECONDS = 60;

/** Ids that an event names. */
const MAX_IDS = 20;

/**
 * Sends what changes to open streams. Reads the database and the queues once a second for all streams of the process,
 * and only while there is one.
 */
@Injectable()
export class EventStream implements BeforeApplicationShutdown {
  private readonly open = new Set<Subscriber>();
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;
  private isClosed = false;
  private polls = 0;
  private seen = new Map<string, Change>();
  private readonly marks = new OperationMarks();
  private lastQueues = '';
  private readAt = 0;

  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes sure that the account may open one more stream. In a full process this ends the oldest stream of the account
   * that has the most, so that a few accounts cannot take every place.
   *
   * @throws ApiError rate_limited, when the account has its maximum of streams, or the process has, and no account has
   * at least two more than this one; unavailable during a shutdown
   */
  requirePlace(accountId: string): void {
    if (this.isClosed) throw new ApiError('unavailable');
    const byAccount = Map.groupBy(this.open, ({ caller }) => caller.accountId);
    const own = byAccount.get(accountId)?.length ?? 0;
    if (own >= MAX_OF_ACCOUNT)
      refuse(`At most ${MAX_OF_ACCOUNT} streams of an account may be open; close one, or poll instead.`);
    if (this.open.size < MAX_OF_PROCESS) return;
    const most = Array.from(byAccount.values()).reduce((some, others) =>
      others.length > some.length ? others : some,
    );
    // with a difference of one, two accounts would take the same place from each other forever
    if (most.length < own + 2) refuse('Too many streams are open; try again later, or poll instead.');
    const oldest = most[0]!;
    this.remove(oldest);
    oldest.end();
  }

  add(subscriber: Subscriber): void {
    this.open.add(subscriber);
    if (!this.timer) this.readAt = performance.now();
    this.timer ??= setInterval(() => void this.tick(), POLL_MS);
  }

  remove(subscriber: Subscriber): void {
    this.open.delete(subscriber);
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Ends all streams, and refuses others. */
  close(): void {
    this.isClosed = true;
    for (const subscriber of this.open) subscriber.end();
  }

  beforeApplicationShutdown(): void {
    this.close();
  }

  private async tick(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    this.polls += 1;
    try {
      if (this.polls % BEAT_EVERY === 0) for (const subscriber of this.open) subscriber.beat();
      if (this.polls % CHECK_EVERY === 0) await this.endDead();
      await this.sendChanges();
      await this.sendOperations();
    } catch (error) {
      this.logger.warn({ error }, 'stream.poll_failed');
    } finally {
      this.isPolling = false;
    }
  }

  private async endDead(): Promise<void> {
    const check = async (subscriber: Subscriber): Promise<void> => {
      if (!(await subscriber.isLive())) subscriber.end();
    };
    await Promise.all(Array.from(this.open, check));
  }

  private async sendChanges(): Promise<void> {
    const accounts = [...new Set(Array.from(this.open, ({ caller }) => caller.accountId))];
    if (accounts.length === 0) return;
    const now = performance.now();
    const pauseSeconds = Math.min(MAX_PAUSE_SECONDS, (now - this.readAt) / 1_000);
    const changes = await listChanges(this.db, accounts, READ_SECONDS + pauseSeconds);
    this.readAt = now;
    const found = new Map(changes.map((change) => [keyOf(change), change]));
    const differing = [...entriesWithout(found, this.seen), ...entriesWithout(this.seen, found)];
    this.seen = found;
    for (const [accountId, own] of Map.groupBy(differing, (change) => change.accountId))
      for (const [kind, rows] of Map.groupBy(own, (change) => change.kind)) this.emit(accountId, kind, rows);
  }

  private emit(accountId: string, kind: ChangeKind, rows: Change[]): void {
    const ids = [...new Set(rows.flatMap(({ shownId }) => shownId ?? []))].slice(0, MAX_IDS);
    for (const subscriber of this.open)
      if (subscriber.caller.accountId === accountId) subscriber.send(kind, { count: rows.length, ids });
  }

  private async sendOperations(): Promise<void> {
    const watchers = Array.from(this.open).filter(({ isOperator }) => isOperator);
    if (watchers.length === 0) return;
    const parked = this.polls % PARKED_EVERY === 0 ? JSON.stringify(await countParked(this.db)) : undefined;
    const marks = { ...(await readMarks(this.db)), ...(parked !== undefined && { parked }) };
    for (const kind of this.marks.changed(marks, this.polls))
      for (const subscriber of watchers) subscriber.send(kind, {});
    await this.sendQueues(watchers);
  }

  /** An unreachable queue sends nothing. */
  private async sendQueues(watchers: readonly Subscriber[]): Promise<void> {
    const states = await Promise.all(this.queues.all.map(({ admin }) => admin.state())).catch(
      () => undefined,
    );
    if (!states) return;
    const queues = this.queues.all.map(({ name }, i) => {
      const { waiting, active, delayed, failed, isPaused } = states[i]!;
      return { name, waiting, active, delayed, failed, paused: isPaused };
    });
    const text = JSON.stringify(queues);
    if (text === this.lastQueues) return;
    this.lastQueues = text;
    for (const subscriber of watchers) subscriber.send('queue', { count: queues.length, queues });
  }
}

/** The changes of `some` that `others` lacks. */
function entriesWithout(some: ReadonlyMap<string, Change>, others: ReadonlyMap<string, Change>): Change[] {
  return Array.from(some).flatMap(([key, change]) => (others.has(key) ? [] : [change]));
}

function keyOf({ kind, id, shownId }: Change): string {
  return `${kind} ${id} ${shownId}`;
}

/** @throws ApiError rate_limited */
function refuse(message: string): never {
  throw new ApiError('rate_limited', message, { retryAfterSeconds: 30 });
}
