import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';
import { backlogOf, nextAttemptOf } from './backlog.ts';
import type { EndpointState } from './endpoints.ts';

/** Calls to one endpoint that a worker made. */
export interface EndpointCalls {
  webhookId: string;
  calls: number;
  failures: number;
}

/** Days for which the hours of an endpoint are kept. */
export const HOURS_KEPT_DAYS = 31;

const CALLS = rowset('given', { webhook_id: 'uuid', calls: 'integer', failures: 'integer' });

const ADD = sql`
  INSERT INTO endpoint_hour AS eh (webhook_id, hour, calls, failures)
  SELECT given.webhook_id, date_trunc('hour', now()), given.calls, given.failures
    FROM ${CALLS.from}
    JOIN webhook w ON w.id = given.webhook_id
   ORDER BY given.webhook_id
  ON CONFLICT ON CONSTRAINT endpoint_hour_pkey DO UPDATE
     SET calls = eh.calls + EXCLUDED.calls,
         failures = eh.failures + EXCLUDED.failures`;

/** Adds calls to the current hour of their endpoints. @param calls one entry per endpoint */
export async function addEndpointCalls(db: EntityManager, calls: readonly EndpointCalls[]): Promise<void> {
  await db.query(ADD, CALLS.values(calls));
}

/** Deletes hours that are no longer shown; returns the number of rows. */
export const sweepEndpointHours = sweepOf({
  table: 'endpoint_hour',
  key: 'webhook_id, hour',
  where: `WHERE hour < now() - interval '${HOURS_KEPT_DAYS} days'`,
  orderBy: 'hour',
});

/** The breaker, the backlog, the last failure and the calls by hour of one webhook of an account. */
export interface WebhookHealth extends EndpointState {
  webhookId: string;
  /** False until the first call, and again after weeks without one, whose hours are deleted. */
  hasCalls: boolean;
  /** The failed call of the newest report; null when none is kept. */
  lastFailure: { at: string; responseStatus: number | null; error: string } | null;
  /** Hours without a call are left out. */
  hours: { at: string; calls: number; failures: number }[];
}

/** The latest pushes show a call before its hour is stored. */
const LATEST_PUSHES = 10;

const LIST_HEALTH = sql`
  SELECT w.id AS "webhookId",
         COALESCE(e.failures, 0) AS "failuresInRow",
         e.failing_since AS "failingSince",
         COALESCE(e.open_level, 0) AS "openLevel",
         e.open_until AS "openUntil",
         backlog.count AS backlog,
         ${nextAttemptOf('backlog.first')} AS "nextAttemptAt",
         EXISTS (SELECT FROM endpoint_hour WHERE webhook_id = w.id)
         OR EXISTS (
           SELECT
             FROM (
               SELECT attempts
                 FROM push
                WHERE webhook_id = w.id
                ORDER BY report_id DESC
                LIMIT ${LATEST_PUSHES}
             ) AS latest
            WHERE attempts > 0
         ) AS "hasCalls",
         last.failure AS "lastFailure",
         COALESCE(hours.list, '[]') AS hours
    FROM webhook w
    LEFT JOIN endpoint e ON e.webhook_id = w.id
   CROSS JOIN LATERAL (
     ${backlogOf('w.id')}
   ) AS backlog
    LEFT JOIN LATERAL (
      SELECT jsonb_build_object('at', attempted_at, 'responseStatus', response_status, 'error', error) AS failure
        FROM push_attempt
       WHERE webhook_id = w.id
       ORDER BY report_id DESC, attempted_at DESC
       LIMIT 1
    ) AS last ON true
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('at', hour, 'calls', calls, 'failures', failures) ORDER BY hour) AS list
        FROM endpoint_hour
       WHERE webhook_id = w.id
         AND hour > now() - make_interval(hours => $2)
    ) AS hours ON true
   WHERE w.account_id = $1
     AND w.deleted_at IS NULL
     AND ($3::uuid IS NULL OR w.id = $3)
   ORDER BY w.id DESC`;

/**
 * Lists the health of the webhooks of an account, newest first: an account has few, so this is no page.
 *
 * @param hours number of hours that are shown
 * @param webhookId one webhook only; all by default
 */
export function listWebhookHealth(
  db: EntityManager,
  accountId: string,
  hours: number,
  webhookId: string | null = null,
): Promise<WebhookHealth[]> {
  return db.query(LIST_HEALTH, [accountId, hours, webhookId]);
}
