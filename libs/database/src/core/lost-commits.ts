import type { EntityManager } from 'typeorm';
import type { Hosts } from './hosts.ts';

/** Exceeds the time from a step of a worker to the last one that builds on it: a push with its waits. */
const BUILDS_ON_MS = 60_000;

/**
 * True for some seconds after a connection broke. A crash or a failover may then have lost commits that did not wait
 * for the disk or for a standby, and a step in memory may build on one of them.
 */
export function mayHaveLostCommits(db: EntityManager): boolean {
  const { extra } = db.connection.options as { extra?: { hosts?: Hosts } };
  return extra?.hosts?.hasBrokenWithin(BUILDS_ON_MS) ?? false;
}
