import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { DataSource, EntityManager } from 'typeorm';

/** Most milliseconds between two heartbeats without an outage. Claims outlive them: each is renewed every two seconds. */
const MAX_GAP_MS = (LEASE_SECONDS * 1_000) / 2;

/** Milliseconds that workers have after an outage of the database to record what they submitted before it. */
const SETTLING_MS = 5_000;

/** The time of the last heartbeat, and the time from which messages may be claimed again, by `performance.now()`. */
interface Heartbeats {
  lastAt: number;
  settledAt: number;
}

const heartbeats = new WeakMap<DataSource, Heartbeats>();

/**
 * Notes that the database has answered a heartbeat of this process, which sends one each second. The first one counts as
 * the end of an outage, because an outage may have ended just before the process started.
 */
export function noteHeartbeat(db: EntityManager, now = performance.now()): void {
  const last = heartbeats.get(db.connection);
  const isBack = last === undefined || now - last.lastAt > MAX_GAP_MS;
  heartbeats.set(db.connection, { lastAt: now, settledAt: isBack ? now + SETTLING_MS : last.settledAt });
}

/**
 * Returns the milliseconds for which no message may be claimed again, because the database does not answer, or has done
 * so for less than five seconds. The worker of a message whose lease ended in an outage may have submitted it, and
 * records that first. 0 otherwise, also in a process without heartbeats.
 */
export function settlingMs(db: EntityManager, now = performance.now()): number {
  const known = heartbeats.get(db.connection);
  if (!known) return 0;
  if (now - known.lastAt > MAX_GAP_MS) return SETTLING_MS;
  return Math.max(0, Math.ceil(known.settledAt - now));
}
