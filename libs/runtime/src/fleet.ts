import { randomUUID } from 'node:crypto';
import type { Logger } from './logger.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Stores heartbeats of the members of a fleet. */
export interface Roster {
  /** Stores a heartbeat. Resolves with the ids of the live members, `id` included. */
  beat: (id: string) => Promise<string[]>;
  /** Removes a member. */
  leave: (id: string) => Promise<void>;
}

const BEAT_EVERY_MS = 1_000;

/**
 * Milliseconds between two heartbeats from which on the second is late. Members that wait for the same database are late
 * together, and would each regard the others as dead.
 */
const LATE_MS = 2_000;

/**
 * The processes that share limits, as seen by one of them. Each computes its own share of a limit from the list of live
 * members, without coordination: the shares of all members add up to the limit. When a member joins or leaves, the
 * members may disagree until their next heartbeat. The share of a killed member stays unused until its heartbeat
 * expires.
 */
export class Fleet {
  readonly id = randomUUID();
  private members: string[] = [this.id];
  private lastBeatAt = -Infinity;
  private beats: Repeated | undefined;

  /** @param now milliseconds of a clock that is never set */
  constructor(
    private readonly roster: Roster,
    private readonly now = () => performance.now(),
  ) {}

  /** Sends a heartbeat each second, until this member is closed. */
  start(logger: Logger): void {
    this.beats = repeat('heartbeat', { everyMs: BEAT_EVERY_MS }, () => this.beat(), logger);
  }

  /**
   * Sends a heartbeat and updates the list of live members. To be called before the first share is computed. A
   * late heartbeat removes no member: the others may be late as well, and keep their share until the next heartbeat.
   */
  async beat(): Promise<void> {
    const live = await this.roster.beat(this.id);
    const isLate = this.now() - this.lastBeatAt > LATE_MS;
    this.lastBeatAt = this.now();
    this.members = isLate ? [...new Set([...this.members, ...live])] : live;
  }

  /**
   * This member's share of a limit, a whole number; 0 for some members when the limit is smaller than the fleet.
   *
   * @param key names the limit: the members that get the remainder differ from key to key
   */
  share(key: string, limit: number): number {
    const size = this.members.length;
    if (size === 1) return limit;
    const mine = rank(key, this.id);
    const before = this.members.filter((member) => isBefore(key, member, mine, this.id)).length;
    return Math.floor(limit / size) + (before < limit % size ? 1 : 0);
  }

  /** This member's share of a rate; it may be fractional. */
  shareOfRate(perSecond: number): number {
    return perSecond / this.members.length;
  }

  /** Deregisters this member; the others take over its share at their next heartbeat. */
  async close(): Promise<void> {
    await this.beats?.stop();
    await this.roster.leave(this.id);
  }
}

function isBefore(key: string, member: string, mine: number, myId: string): boolean {
  const theirs = rank(key, member);
  return theirs < mine || (theirs === mine && member < myId);
}

/** FNV-1a: orders the members differently for each key, and equally in every process. */
function rank(key: string, member: string): number {
  let hash = 0x811c9dc5;
  for (const text of [key, member]) {
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
