import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { backlogOf } from './backlog.ts';

export const BREAKER_STATES = ['open', 'half_open', 'failing', 'disabled'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** An endpoint in trouble. */
export interface Breaker {
  /** The webhook. */
  id: string;
  name: string;
  accountId: string;
  accountName: string;
  endpoint: string;
  state: BreakerState;
  /** Failures since the last success, and the time of the first; null when the last call succeeded. */
  failures: number;
  failingSince: Date | null;
  /** When the next probe may be made; null while the breaker is closed. */
  nextProbeAt: Date | null;
  disabledReason: string | null;
  /** Pushes that wait, at most 10,000, and when the first of them is due. */
  backlog: number;
  oldestDueAt: Date | null;
}

const LIST = sql`
  SELECT troubled.*, waiting.count AS backlog, waiting.first AS "oldestDueAt"
    FROM (
      SELECT w.id, w.name, w.account_id AS "accountId", a.name AS "accountName", w.endpoint, e.failures,
             e.failing_since AS "failingSince", e.open_until AS "nextProbeAt", w.disabled_reason AS "disabledReason",
             CASE
               WHEN w.disabled_at IS NOT NULL THEN 'disabled'
               WHEN e.open_level > 0 AND e.open_until > now() THEN 'open'
               WHEN e.open_level > 0 THEN 'half_open'
               ELSE 'failing'
             END AS state
        FROM endpoint e
        JOIN webhook w ON w.id = e.webhook_id
        JOIN account a ON a.id = w.account_id
       WHERE w.deleted_at IS NULL
         AND (e.open_level > 0 OR e.failures > 0)
         AND e.webhook_id > $1
    ) AS troubled
   CROSS JOIN LATERAL (
     ${backlogOf('troubled.id')}
   ) AS waiting
   WHERE ($2::text IS NULL OR troubled.state = $2)
     AND ($3::uuid IS NULL OR troubled."accountId" = $3)
   ORDER BY troubled.id
   LIMIT $4`;

/** Lists endpoints whose breaker is open, or whose last call failed, by webhook. */
export function listBreakers(
  db: EntityManager,
  { state, accountId }: { state: BreakerState | null; accountId: string | null },
  limit: number,
  after = MIN_UUID,
): Promise<Breaker[]> {
  return db.query(LIST, [after, state, accountId, limit]);
}
