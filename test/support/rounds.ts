import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { type FairRound, type RoundLimits, fanOutFairly } from '@signalbox/database/submissions/fair-fan-out';
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
