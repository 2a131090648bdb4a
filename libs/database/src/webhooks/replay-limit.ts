import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import type { PushKey } from './pushes.ts';

/** Replays of one push, one by one or in a range. */
export const MAX_REPLAYS = 100;

/**
 * Counts a replay of a finished push. Roll the transaction back to refuse the replay.
 *
 * @returns its number of replays, this one included; undefined for a push that is pending, or that the account does not
 * have
 */
export async function countReplay(
  db: EntityManager,
  accountId: string,
  { webhookId, reportId }: PushKey,
): Promise<number | undefined> {
  const [counted] = await returning<{ replays: number }>(
    db,
    `UPDATE push p
        SET replays = replays + 1
      WHERE webhook_id = $1
        AND report_id = $2
        AND account_id = $3
        AND status <> 'WAITING'
        AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
     RETURNING replays`,
    [webhookId, reportId, accountId],
  );
  return counted?.replays;
}
