import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { waitingEndpoints } from './due-endpoints.ts';

/** Days that pushes wait for a disabled webhook to be enabled again. */
const KEPT_WAITING_DAYS = 30;

const SWEEP = sql`
  WITH RECURSIVE ${waitingEndpoints()}
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
     AND p.report_id = abandoned.report_id`;

/**
 * Gives up the waiting pushes of deleted webhooks, and of webhooks disabled for 30 days. The rows stay, and can be
 * replayed while the webhook exists. Processes a bounded number per call, and returns that number. Its cost grows with the
 * endpoints that have waiting pushes, and not with the webhooks that were ever disabled.
 */
export function sweepPushes(db: EntityManager): Promise<number> {
  return countChanged(db, SWEEP);
}
