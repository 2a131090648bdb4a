import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { sql } from '../core/sql.ts';

/**
 * Computes the time of the next call of a push: not before it is due, nor before the breaker of its endpoint `e` allows a
 * call. Null for a push that is never due, and while its webhook `w` is disabled.
 */
export const nextAttemptOf = (dueAt: string): string => sql`
  CASE
    WHEN ${dueAt} IS NOT NULL
         AND w.disabled_at IS NULL
    THEN GREATEST(${dueAt}, e.open_until)
  END`;

/** Counts the waiting pushes of a webhook as `count`, and finds when the `first` is due. */
export const backlogOf = (webhookId: string): string => sql`
  SELECT count(*)::integer AS count, min(next_attempt_at) AS first
    FROM (
      SELECT next_attempt_at
        FROM push
       WHERE webhook_id = ${webhookId}
         AND next_attempt_at IS NOT NULL
       ORDER BY webhook_id, next_attempt_at
       LIMIT ${COUNTED_ROWS}
    ) AS part`;
