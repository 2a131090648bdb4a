import { IDEMPOTENCY_HOURS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { sweepOf } from '../core/sweep.ts';
import type { IdempotentCall } from './idempotency-keys.ts';

/** The body of the first call with a key, and its answer, sealed. */
export interface FirstCreation {
  bodyHash: Buffer;
  sealedAnswer: Buffer;
}

/**
 * Claims an idempotency key for a call that creates something, inside that call's transaction: a parallel call with the
 * same key waits here until this one has committed.
 *
 * @returns the first call when the key was used before; undefined when it is now ours
 */
export async function claimKey(
  db: EntityManager,
  accountId: string,
  call: IdempotentCall,
  sealedAnswer: Buffer,
): Promise<FirstCreation | undefined> {
  const claimed: unknown[] = await db.query(
    `INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, sealed_answer)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT ON CONSTRAINT idempotency_key_pkey DO UPDATE
        SET body_hash = EXCLUDED.body_hash, sealed_answer = EXCLUDED.sealed_answer, created_at = now()
      WHERE k.created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'
     RETURNING account_id`,
    [accountId, call.path, call.key, call.bodyHash, sealedAnswer],
  );
  return claimed.length > 0 ? undefined : findCreation(db, accountId, call);
}

/** Finds the first call that created something with a key; undefined when there is none, or the key has expired. */
export async function findCreation(
  db: EntityManager,
  accountId: string,
  { path, key }: Pick<IdempotentCall, 'path' | 'key'>,
): Promise<FirstCreation | undefined> {
  const [first]: FirstCreation[] = await db.query(
    `SELECT body_hash AS "bodyHash", sealed_answer AS "sealedAnswer"
       FROM idempotency_key
      WHERE account_id = $1
        AND path = $2
        AND key = $3
        AND created_at >= now() - interval '${IDEMPOTENCY_HOURS} hours'`,
    [accountId, path, key],
  );
  return first;
}

/** Deletes idempotency keys that have expired, a bounded number per call; returns their number. */
export const sweepIdempotencyKeys = sweepOf({
  table: 'idempotency_key',
  key: 'account_id, path, key',
  where: `WHERE created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'`,
  orderBy: 'created_at',
});
