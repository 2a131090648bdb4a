import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import { type FairRound, type RoundLimits, fanOutFairly } from '@signalbox/database/submissions/fair-fan-out';
import { makeDueReady } from '@signalbox/database/submissions/submissions';
import type { EntityManager } from 'typeorm';

/** Returns numbers of India in ascending order. */
export const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000000 + i));

/** Runs a round of the lane TRANS with room for all, by default. */
export function takeRound(db: EntityManager, share: Partial<RoundLimits> = {}): Promise<FairRound> {
  return fanOutFairly(
    db,
    'TRANS',
    { budget: 1_000, allowances: new Map(), after: null, quiet: [], ...share },
    LEASE_SECONDS,
  );
}

/** Quiet hours of the lane TRANS that began an hour ago and end in one. */
export function quietNow(prefix: string): QuietRule[] {
  const clock = (hours: number): string =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return [{ lane: 'TRANS', prefix, from: clock(-1), until: clock(1), zone: 'UTC' }];
}

/** Makes all that waits for a time due: rows move, not the clock. */
export async function letTimePass(db: EntityManager): Promise<void> {
  await db.query(`UPDATE submission SET due_at = now() - interval '1 second' WHERE waits`);
  await db.query(
    `UPDATE message SET held_until = now() - interval '1 second', claimed_until = now() - interval '1 second' WHERE held_until IS NOT NULL`,
  );
  await makeDueReady(db, 'sms');
}
