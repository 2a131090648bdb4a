import { MIN_UUID } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { EXAMINED, WAITING_ENDPOINTS } from './due-endpoints.ts';

/** Days that pushes wait for a disabled webhook to be enabled again. */
const KEPT_WAITING_DAYS = 30;

const SWEEP = sql`
  WITH RECURSIVE ${WAITING_ENDPOINTS}, given_up AS (
    UPDATE push p
       SET status = 'EXHAUSTED',
           next_attempt_at = NULL,
           finished_at = now(),
           error = CASE WHEN abandoned.deleted_at IS NULL THEN 'webhook_disabled' ELSE 'webhook_deleted' END
      FROM (
        SELECT oldest.webhook_id, oldest.report_id, w.deleted_at
          FROM waiting
          JOIN webhook w ON w.id = waiting.webhook_id
         CROSS JOIN LATERAL (
           SELECT webhook_id, report_id
             FROM push
            WHERE webhook_id = w.id
              AND next_attempt_at IS NOT NULL
            ORDER BY webhook_id, next_attempt_at
            LIMIT 5000
              FOR UPDATE SKIP LOCKED
         ) AS oldest
         WHERE w.deleted_at > now() - interval '${KEPT_WAITING_DAYS} days'
            OR w.disabled_at < now() - interval '${KEPT_WAITING_DAYS} days'
         LIMIT 20000
      ) AS abandoned
     WHERE p.webhook_id = abandoned.webhook_id
       AND p.report_id = abandoned.report_id
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM given_up)::integer AS count,
         (SELECT webhook_id FROM waiting WHERE place = $2) AS next`;

/**
 * Gives up waiting pushes of deleted webhooks, and of webhooks disabled for 30 days, among the next `examined` endpoints
 * with waiting pushes behind `after`. The rows stay, and can be replayed while the webhook exists. Processes a bounded
 * number per call. Its cost does not grow with the webhooks that were ever disabled.
 *
 * @returns the number given up, and in `next` the `after` of the next call: the same again unless that number is 0, and
 * null to begin again
 */
export async function sweepPushes(
  db: EntityManager,
  after: string | null = null,
  examined = EXAMINED,
): Promise<{ count: number; next: string | null }> {
  const [row]: { count: number; next: string | null }[] = await db.query(SWEEP, [
    after ?? MIN_UUID,
    examined,
  ]);
  return { count: row!.count, next: row!.count > 0 ? after : row!.next };
}
