import type { Lane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { arrayLiteral } from '../core/array-literal.ts';
import { claimedUntil, takeOverUntil } from '../core/settling.ts';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import type { MessageClaim } from '../messages/claims.ts';

/*
 * A batch that a worker is submitting to a gateway. When the worker dies, its gateway may have any of the messages, so
 * no worker claims them before the batch ends, and most are not submitted again.
 */

/**
 * Time for which a batch counts as alive after its insert or a renewal. A renewal is sent within four seconds, even if
 * the statement before it waited for three. It may wait for three more, the longest outage that other workers do not
 * notice.
 */
const ALIVE_FOR = "interval '8 seconds'";

/** Messages that one worker submits to one gateway. */
export interface SubmitBatch {
  id: string;
  gateway: string;
  lane: Lane;
}

const INSERT = sql`
  INSERT INTO submit_batch (id, gateway, lane, submission_ids, ns, attempts, resends, alive_until)
  SELECT $1::uuid, $2::text, $3::text, $4::uuid[], $5::integer[], $6::integer[], $7::boolean[],
         now() + ${ALIVE_FOR}
   WHERE now() <= $8
  RETURNING id`;

/** A claimed message of a batch. */
export interface BatchedMessage extends MessageClaim {
  /** Its route sends it again when it is unconfirmed. */
  isResent: boolean;
}

/**
 * Notes the messages of a batch, before it is submitted.
 *
 * @param claimedAt when the claim of the messages was sent, by `performance.now()`
 * @returns false when the database runs it so late that another worker may have claimed the messages, or its caller may
 * have given it up: then nothing is stored
 */
export async function insertSubmitBatch(
  db: EntityManager,
  { id, gateway, lane }: SubmitBatch,
  claims: readonly BatchedMessage[],
  claimedAt: number,
): Promise<boolean> {
  const isAnyResent = claims.some(({ isResent }) => isResent);
  const stored = await db.query(INSERT, [
    id,
    gateway,
    lane,
    arrayLiteral(claims.map(({ submissionId }) => submissionId)),
    arrayLiteral(claims.map(({ n }) => n)),
    arrayLiteral(claims.map(({ attempt }) => attempt)),
    isAnyResent ? arrayLiteral(claims.map(({ isResent }) => isResent)) : null,
    claimedUntil(db, claimedAt),
  ]);
  return stored.length > 0;
}

/** Keeps batches alive whose submit lasts. @returns those that no other worker has ended */
export async function renewSubmitBatches(db: EntityManager, ids: readonly string[]): Promise<string[]> {
  const renewed = await returning<{ id: string }>(
    db,
    `UPDATE submit_batch SET alive_until = now() + ${ALIVE_FOR} WHERE id = ANY($1::uuid[]) RETURNING id`,
    [ids],
  );
  return renewed.map(({ id }) => id);
}

/** Deletes batches whose outcomes are recorded. */
export async function deleteSubmitBatches(db: EntityManager, ids: readonly string[]): Promise<void> {
  await db.query(`DELETE FROM submit_batch WHERE id = ANY($1::uuid[])`, [ids]);
}

/** The claimed messages of the submissions $1 that are in a batch, whose end decides whether they are submitted again. */
export const BATCHED_MESSAGES = sql`
  SELECT u.submission_id, u.n, u.attempt
    FROM submit_batch b
   CROSS JOIN LATERAL unnest(b.submission_ids, b.ns, b.attempts) AS u(submission_id, n, attempt)
   WHERE u.submission_id = ANY($1::uuid[])`;

const LIMIT = 100;

/** A batch of a worker that died, with those of its messages that still wait for an outcome. */
export interface AbandonedBatch extends SubmitBatch {
  messages: (MessageKey & { isResent: boolean })[];
}

const LOCK_ABANDONED = sql`
  SELECT b.id, b.gateway, b.lane,
         COALESCE(
           (SELECT json_agg(
                     json_build_object(
                       'submissionId', m.submission_id,
                       'n', m.n,
                       'isResent', COALESCE(u.is_resent, false)
                     )
                     ORDER BY m.submission_id, m.n
                   )
              FROM unnest(b.submission_ids, b.ns, b.attempts, b.resends) AS u(submission_id, n, attempt, is_resent)
              JOIN message m ON m.submission_id = u.submission_id AND m.n = u.n
             WHERE m.status = 'PENDING'
               AND m.starts > 0 -- a recorded throttle returned the only start, and left the attempt as it was
               AND m.starts + m.throttles = u.attempt),
           '[]'
         ) AS messages
    FROM submit_batch b
   WHERE b.lane = ANY($1::text[])
     AND b.alive_until < now()
     AND now() <= $3
     AND b.id <> ALL($2::uuid[])
   ORDER BY b.id
   LIMIT ${LIMIT}
     FOR UPDATE OF b SKIP LOCKED`;

/**
 * Locks batches of lanes whose worker died, a bounded number per call; none while workers could not renew their batches.
 *
 * @param own batches of this process, which lives, however late the database renews them
 */
export function lockAbandonedBatches(
  db: EntityManager,
  lanes: readonly Lane[],
  own: readonly string[],
): Promise<AbandonedBatch[]> {
  return db.query(LOCK_ABANDONED, [lanes, own, takeOverUntil(db)]);
}
