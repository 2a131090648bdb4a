import type { EntityManager } from 'typeorm';

/** A push that waits for the result of a call. */
export interface WaitingPush {
  reportId: string;
  attempts: number;
  /** Attempts before its last replay, which restarted its schedule. */
  attemptsBefore: number;
  /** False once a result was recorded since the last claim. */
  isClaimed: boolean;
}

/**
 * Lists and locks the pushes of a webhook among these reports that still wait, so that of two results of one call only
 * the first finds it claimed.
 */
export function lockWaitingPushes(
  db: EntityManager,
  webhookId: string,
  reportIds: string[],
): Promise<WaitingPush[]> {
  return db.query(
    `SELECT report_id AS "reportId", attempts, attempts_before AS "attemptsBefore", starts > attempts AS "isClaimed"
       FROM push
      WHERE webhook_id = $1
        AND report_id = ANY($2::uuid[])
        AND status = 'WAITING'
      ORDER BY report_id
        FOR UPDATE`,
    [webhookId, reportIds],
  );
}

/** Reason of a webhook whose owner makes the calls. */
export const PULLED = 'its deliveries are pulled';

/**
 * Disables a webhook whose deliveries are pulled, for whatever reason it was disabled before. Once a day the time is
 * renewed: pushes of a webhook that was disabled 30 days ago are given up.
 */
export async function markPulled(db: EntityManager, webhookId: string): Promise<void> {
  await db.query(
    `UPDATE webhook
        SET disabled_at = now(), disabled_reason = $2
      WHERE id = $1
        AND deleted_at IS NULL
        AND (disabled_at IS NULL
             OR disabled_reason IS DISTINCT FROM $2
             OR disabled_at < now() - interval '1 day')`,
    [webhookId, PULLED],
  );
}
