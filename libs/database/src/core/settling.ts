import type { DataSource, EntityManager } from 'typeorm';

/**
 * Most milliseconds between two heartbeats without an outage. Leases outlive an outage that lasts no longer: they are
 * renewed every two to three seconds.
 */
const MAX_GAP_MS = 3_000;

/** Milliseconds that workers have after an outage of the database to renew their leases and to record submits. */
const SETTLING_MS = 5_000;

interface Heartbeats {
  /** When the last answer came, by `performance.now()`. */
  lastAt: number;
  /** The time of the last heartbeat by the database's clock, in milliseconds. */
  databaseAt: number;
  /** When leases that ended may be taken over again, by `performance.now()`. */
  settledAt: number;
}

const heartbeats = new WeakMap<DataSource, Heartbeats>();

/**
 * Notes that the database has answered a heartbeat of this process, which sends one each second. The first one counts as
 * the end of an outage, because an outage may have ended just before the process started. So does one that comes late
 * by either clock: those of two hosts differ after a failover.
 *
 * @param at the time of the heartbeat by the database's clock
 */
export function noteHeartbeat(db: EntityManager, at: Date, now = performance.now()): void {
  const last = heartbeats.get(db.connection);
  const databaseAt = at.getTime();
  const isBack = !last || Math.max(now - last.lastAt, databaseAt - last.databaseAt) > MAX_GAP_MS;
  heartbeats.set(db.connection, {
    lastAt: now,
    databaseAt,
    settledAt: isBack ? now + SETTLING_MS : last.settledAt,
  });
}

/**
 * Returns the milliseconds for which no lease may be taken over, because the database does not answer, or has done so
 * for less than five seconds. The worker of a lease that ended in an outage may be alive, and first renews the lease or
 * records what it submitted. Returns 0 otherwise, and always in a process without heartbeats.
 */
export function settlingMs(db: EntityManager, now = performance.now()): number {
  const known = heartbeats.get(db.connection);
  if (!known) return 0;
  if (now - known.lastAt > MAX_GAP_MS) return SETTLING_MS;
  return Math.max(0, Math.ceil(known.settledAt - now));
}

/**
 * Milliseconds for which a claim certainly lasts: less than LEASE_SECONDS, and less than the time after which a client
 * gives a statement up.
 */
export const CLAIMED_FOR_MS = 8_000;

/**
 * Returns the time, by the database's clock, until which a statement may rely on a claim. After it another worker may
 * have the messages: this process was frozen, or the statement was late. The caller may also have given the statement
 * up: a database that wakes up runs what it finds in its sockets.
 *
 * @param claimedAt when the claim, or its last renewal, was sent, by `performance.now()`
 */
export function claimedUntil(db: EntityManager, claimedAt: number): string {
  const known = heartbeats.get(db.connection);
  if (!known) return 'infinity';
  return new Date(known.databaseAt + claimedAt - known.lastAt + CLAIMED_FOR_MS).toISOString();
}

/**
 * Returns the time, by the database's clock, until which a statement may take over leases that have ended. The statement
 * compares it with its own `now()`: it may have waited for the end of an outage that this process did not notice yet.
 */
export function takeOverUntil(db: EntityManager, now = performance.now()): string {
  const known = heartbeats.get(db.connection);
  if (!known) return 'infinity';
  if (settlingMs(db, now) > 0) return '-infinity';
  return new Date(known.databaseAt + MAX_GAP_MS).toISOString();
}
