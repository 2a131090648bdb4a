import { MIN_UUID } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import type { Webhook } from './webhook.entity.ts';

/**
 * A recursive CTE of the endpoints with waiting pushes, and the time at which the first of these is due. It makes one
 * step through the index of waiting pushes per endpoint, so its cost depends on the number of endpoints and not of
 * pushes.
 *
 * @param part the id that the first one follows, and the maximum number; all by default
 */
export function waitingEndpoints(part?: { after: string; limit: string }): string {
  return sql`
    waiting AS (
      (SELECT webhook_id, next_attempt_at, 1 AS place
         FROM push
        WHERE next_attempt_at IS NOT NULL
          AND ${part ? `webhook_id > ${part.after}` : 'true'}
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
       WHERE ${part ? `waiting.place < ${part.limit}` : 'true'}
    )`;
}

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

/** Maximum number of endpoints with waiting pushes that a call examines: each is a search in every week of pushes. */
const EXAMINED = 10_000;

const LIST_DUE = sql`
  WITH RECURSIVE ${waitingEndpoints({ after: '$1::uuid', limit: '$2::integer' })}
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
