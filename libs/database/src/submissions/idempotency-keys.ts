import { IDEMPOTENCY_HOURS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** A call with an idempotency key: its path, and a hash of its body. The first call with a key is stored. */
export interface IdempotentCall {
  path: string;
  key: string;
  bodyHash: Buffer;
}

interface CallRow {
  idempotency: IdempotentCall | null;
}

/** The columns of a rowset of calls that hold their idempotency keys; NULL for a call without one. */
export const KEY_COLUMNS = {
  path: ['text', ({ idempotency }: CallRow) => idempotency?.path],
  key: ['text', ({ idempotency }: CallRow) => idempotency?.key],
  body_hash: ['bytea', ({ idempotency }: CallRow) => idempotency?.bodyHash],
} as const;

/**
 * The CTE `keyed`, which stores the idempotency keys of `call` (id, account_id and KEY_COLUMNS). Its `resource_id` are
 * the calls whose key was not used before, or has expired.
 *
 * @param condition of the calls that store their keys; by default all that have one
 */
export const storeKeys = (condition = 'key IS NOT NULL'): string => sql`
  keyed AS (
    -- in the order of the keys, so that two processes with the same keys never deadlock
    INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, resource_id)
    SELECT account_id, path, key, body_hash, id
      FROM call
     WHERE ${condition}
     ORDER BY account_id, path, key
    ON CONFLICT ON CONSTRAINT idempotency_key_pkey DO UPDATE
       SET body_hash = EXCLUDED.body_hash, resource_id = EXCLUDED.resource_id, created_at = now()
     WHERE k.created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'
    RETURNING resource_id
  )`;

/** The first call of an idempotency key. */
export interface FirstCall {
  bodyHash: Buffer;
  /** The fields that its answer is built from; null when the send was erased. */
  send: {
    id: string;
    recipients: string[];
    /** The fields of the content that the answer repeats; a chat-app message has neither. */
    content: { unicode?: boolean; flash?: boolean };
  } | null;
}

/** Finds the send that first used an idempotency key; undefined when there is none, or the key has expired. */
export async function findFirstCall(
  db: EntityManager,
  accountId: string,
  path: string,
  key: string,
): Promise<FirstCall | undefined> {
  const [row]: FirstCall[] = await db.query(
    `SELECT k.body_hash AS "bodyHash",
            CASE WHEN s.id IS NOT NULL THEN
              jsonb_build_object('id', s.id, 'recipients', s.recipients, 'content', s.content)
            END AS send
       FROM idempotency_key k
       LEFT JOIN submission s ON s.id = k.resource_id
      WHERE k.account_id = $1
        AND k.path = $2
        AND k.key = $3
        AND k.created_at >= now() - interval '${IDEMPOTENCY_HOURS} hours'`,
    [accountId, path, key],
  );
  return row;
}
