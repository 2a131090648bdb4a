import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { DataSource, EntityManager } from 'typeorm';

/** Longest gap between the heartbeats of a process that is no outage. Renewed claims outlive it. */
const MAX_GAP_MS = (LEASE_SECONDS * 1_000) / 2;

/** Milliseconds that workers have after an outage of the database to record what they submitted before it. */
const SETTLING_MS = 5_000;

/** On the clock of `performance.now()`. */
interface Heartbeats {
  lastAt: number;
  settledAt: number;
}

const heartbeats = new WeakMap<DataSource, Heartbeats>();

/** Notes that the database has answered a heartbeat of this process, which sends one each second. */
export function noteHeartbeat(db: EntityManager, now = performance.now()): void {
  const { lastAt, settledAt } = heartbeats.get(db.connection) ?? { lastAt: now, settledAt: now };
  const isBack = now - lastAt > MAX_GAP_MS;
  heartbeats.set(db.connection, { lastAt: now, settledAt: isBack ? now + SETTLING_MS : settledAt });
}

/**
 * Returns the milliseconds for which no message may be claimed again, because the database does not answer, or has done
 * so for less than five seconds. The worker of a message whose lease ended in an outage may have submitted it, and
 * records that first. 0 without an outage, and in a process without heartbeats.
 */
export function settlingMs(db: EntityManager): number {
  const known = heartbeats.get(db.connection);
  if (!known) return 0;
  const now = performance.now();
  if (now - known.lastAt > MAX_GAP_MS) return SETTLING_MS;
  return Math.max(0, Math.ceil(known.settledAt - now));
}
