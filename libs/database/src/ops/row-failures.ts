import { maskNumbers } from '@signalbox/domain/msisdn';
import type { EntityManager } from 'typeorm';
import { sweepOf } from '../core/sweep.ts';
import type { ParkedKind } from './parked.ts';

const MAX_ERROR_LENGTH = 500;

/**
 * Notes why rows failed, in place of what was noted before. Numbers in the error are masked.
 *
 * @param ids for messages those of their submissions
 */
export async function noteRowFailures(
  db: EntityManager,
  kind: ParkedKind,
  ids: readonly string[],
  error: string,
): Promise<void> {
  await db.query(
    `INSERT INTO row_failure (kind, id, error)
     SELECT $1, wanted.id, $3
       FROM unnest($2::uuid[]) AS wanted(id)
      ORDER BY wanted.id
     ON CONFLICT ON CONSTRAINT row_failure_pkey DO UPDATE
        SET error = EXCLUDED.error, failed_at = now()`,
    [kind, [...new Set(ids)], maskNumbers(error).slice(0, MAX_ERROR_LENGTH)],
  );
}

/** Deletes notes older than 30 days, a bounded number per call. Returns that number. */
export const sweepRowFailures = sweepOf({
  table: 'row_failure',
  key: 'kind, id',
  where: `WHERE failed_at < now() - interval '30 days'`,
  orderBy: 'failed_at',
});
