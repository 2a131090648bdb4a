import { MIN_UUID } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import type { Webhook } from './webhook.entity.ts';

/** Maximum number of endpoints with waiting pushes that a call examines: each is a search in every week of pushes. */
export const EXAMINED = 10_000;

/**
 * A recursive CTE of the first $2 endpoints with waiting pushes behind $1, and the time at which the first of these is due.
 * It makes one step through the index of waiting pushes per endpoint, so its cost depends on the number of endpoints and
 * not of pushes.
 */
export const WAITING_ENDPOINTS = sql`
  waiting AS (
    (SELECT webhook_id, next_attempt_at, 1 AS place
       FROM push
      WHERE next_attempt_at IS NOT NULL
        AND webhook_id > $1::uuid
      ORDER BY webhook_id, next_attempt_at
      LIMIT 1)
    UNION ALL
    SELECT next.webhook_id, next.next_attempt_at, waiting.place + 1
      FROM waiting,
           LATERAL (
             SELECT webhook_id, next_attempt_at
               FROM push
              WHERE next_attempt_at IS NOT NULL
                AND webhook_id > waiting.webhook_id
              ORDER BY webhook_id, next_attempt_at
              LIMIT 1
           ) AS next
     WHERE waiting.place < $2::integer
  )`;

/** An endpoint with pushes that are due. */
export interface DueEndpoint
  extends Pick<Webhook, 'accountId' | 'method' | 'headers' | 'maxInFlight' | 'ratePerSecond' | 'batch'> {
  webhookId: string;
  /** True when its breaker is open and `open_until` has passed: one call may probe it. */
  needsProbe: boolean;
}

/** The endpoints of `waiting` that have a push due now and may be called. */
const DUE_OF_WAITING = sql`
  SELECT w.id AS "webhookId", w.account_id AS "accountId", w.method, w.headers,
         w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", w.batch,
         COALESCE(e.open_level > 0, false) AS "needsProbe"
    FROM waiting
    JOIN webhook w ON w.id = waiting.webhook_id
    LEFT JOIN endpoint e ON e.webhook_id = w.id
   WHERE waiting.next_attempt_at <= now()
     AND w.disabled_at IS NULL
     AND (e.open_until IS NULL OR e.open_until <= now())`;

const LIST_DUE = sql`
  WITH RECURSIVE ${WAITING_ENDPOINTS}
  SELECT due.*, (SELECT webhook_id FROM waiting WHERE place = $2) AS next
    FROM (SELECT) AS one
    LEFT JOIN (
      ${DUE_OF_WAITING}
    ) AS due ON true`;

const LIST_DUE_OF = sql`
  WITH waiting AS (
    SELECT given.id AS webhook_id, first.next_attempt_at
      FROM unnest($1::uuid[]) AS given(id)
     CROSS JOIN LATERAL (
       SELECT next_attempt_at
         FROM push
        WHERE webhook_id = given.id
          AND next_attempt_at IS NOT NULL
        ORDER BY next_attempt_at
        LIMIT 1
     ) AS first
  )
  ${DUE_OF_WAITING}`;

/**
 * Lists the endpoints that have a push due now and may be called, by their id, among the next `examined` with waiting
 * pushes behind `after`.
 *
 * @returns `next` is the `after` of the call for the next ones; null at the end
 */
export async function listDueEndpoints(
  db: EntityManager,
  after: string | null = null,
  examined = EXAMINED,
): Promise<{ due: DueEndpoint[]; next: string | null }> {
  const rows: (DueEndpoint & { next: string | null })[] = await db.query(LIST_DUE, [
    after ?? MIN_UUID,
    examined,
  ]);
  const due = rows.flatMap(({ next: _, ...endpoint }) => (endpoint.webhookId === null ? [] : endpoint));
  return { due, next: rows[0]?.next ?? null };
}

/** Lists which of these endpoints have a push due now and may be called. */
export function listDueAmong(db: EntityManager, webhookIds: string[]): Promise<DueEndpoint[]> {
  return db.query(LIST_DUE_OF, [webhookIds]);
}
