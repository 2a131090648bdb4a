import type { EntityManager } from 'typeorm';
import type { Hosts } from './hosts.ts';

/**
 * Milliseconds after a broken connection for which commits may be missing. Longer than any step of a worker relies on
 * an earlier one; the longest is a push that waits for its call.
 */
const BUILDS_ON_MS = 60_000;

/**
 * True for a minute after a connection broke. A crash or a failover may then have lost commits that did not wait for
 * the disk or for a standby, and a step in memory may build on one of them.
 */
export function mayHaveLostCommits(db: EntityManager): boolean {
  const { extra } = db.connection.options as { extra?: { hosts?: Hosts } };
  return extra?.hosts?.hasBrokenWithin(BUILDS_ON_MS) ?? false;
}
