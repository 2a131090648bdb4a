import { randomUUID } from 'node:crypto';

/** How a fleet keeps in touch: where its members say that they live, and learn of the others. */
export interface Roster {
  /** Resolves with the ids of the living members, `id` included. */
  beat: (id: string) => Promise<string[]>;
  leave: (id: string) => Promise<void>;
}

/**
 * The processes that share limits among themselves, seen by one of them. Each works out its own share of a limit from who
 * lives, and asks nobody: the shares of all members add up to the limit. While a member comes or goes they may disagree
 * until their next beats, and for as long as a killed one counts as living its share lies idle.
 */
export class Fleet {
  readonly id = randomUUID();
  private members: string[] = [this.id];

  constructor(private readonly roster: Roster) {}

  /** Says that this member lives, and learns who else does. To be called before the first share is asked for, and each second. */
  async beat(): Promise<void> {
    this.members = await this.roster.beat(this.id);
  }

  /**
   * This member's part of a limit in whole numbers; 0 for some when there are fewer than members.
   *
   * @param key what is limited: which members get the odd ones differs from key to key
   */
  share(key: string, limit: number): number {
    const size = this.members.length;
    if (size === 1) return limit;
    const mine = rank(key, this.id);
    const before = this.members.filter((member) => isBefore(key, member, mine, this.id)).length;
    return Math.floor(limit / size) + (before < limit % size ? 1 : 0);
  }

  /** This member's part of a rate, which need not be whole. */
  shareOfRate(perSecond: number): number {
    return perSecond / this.members.length;
  }

  /** Takes leave, so that the others take over at their next beat. */
  async close(): Promise<void> {
    await this.roster.leave(this.id);
  }
}

function isBefore(key: string, member: string, mine: number, myId: string): boolean {
  const theirs = rank(key, member);
  return theirs < mine || (theirs === mine && member < myId);
}

/** FNV-1a: each key puts the members into an order of its own, which all of them know. */
function rank(key: string, member: string): number {
  let hash = 0x811c9dc5;
  for (const text of [key, member]) {
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
