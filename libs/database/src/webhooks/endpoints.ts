import { MIN_UUID } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { EXAMINED, WAITING_ENDPOINTS } from './due-endpoints.ts';

/**
 * The breaker of an endpoint opens after at least this many calls within the window, when at least this share of them
 * failed.
 */
export const MIN_CALLS = 10;
const FAILING_SHARE = 0.7;
export const WINDOW_SECONDS = 300;

/** Seconds that a breaker stays open. They double after each failed probe, up to the maximum. */
const OPEN_SECONDS = 30;
const MAX_OPEN_SECONDS = 600;

/** Limit of the failed probes in a row that are counted. */
const MAX_OPEN_LEVEL = 100;

/**
 * An endpoint is disabled after this many failures in a row over at least a day, or when all calls have failed for five
 * days.
 */
const MAX_FAILURES = 100;
const FAILURES_OVER = '24 hours';
const FAILING_FOR = '5 days';

/** The breaker and the backlog of an endpoint. */
export interface EndpointState {
  failuresInRow: number;
  failingSince: Date | null;
  openLevel: number;
  openUntil: Date | null;
  backlog: number;
  nextAttemptAt: Date | null;
}

/** The calls of a worker to an endpoint since its last tally. */
export interface Tally {
  webhookId: string;
  calls: number;
  failures: number;
  /** True when any call succeeded. */
  succeeded: boolean;
  /** Failures since the last success, and the time since the first of them. */
  failuresInRow: number;
  failingForMs: number;
  /** The outcome of the call that an open breaker let through; null when there was none. */
  probe: 'ok' | 'failed' | null;
}

/** The health of an endpoint after a tally. */
export interface Health {
  webhookId: string;
  accountId: string;
  failures: number;
  /** 0 while its breaker is closed, else the number of times in a row that it opened. */
  openLevel: number;
  openLevelBefore: number;
  /** The reason why this tally disabled it; null when it did not. */
  disabledReason: string | null;
}

/** Inserts the rows of these endpoints. Skips an endpoint that has one, or whose webhook is gone. */
export async function addEndpoints(db: EntityManager, webhookIds: string[]): Promise<void> {
  await db.query(
    `INSERT INTO endpoint (webhook_id)
     SELECT id
       FROM webhook
      WHERE id = ANY($1::uuid[])
      ORDER BY id
     ON CONFLICT ON CONSTRAINT endpoint_pkey DO NOTHING`,
    [webhookIds],
  );
}

const TALLIES = rowset('tally', {
  webhook_id: 'uuid',
  calls: 'integer',
  failed: ['integer', (tally: Tally) => tally.failures],
  succeeded: 'boolean',
  failures_in_row: 'integer',
  failing_for_ms: 'integer',
  probe: 'text',
});

const IN_WINDOW = `e.window_from > now() - interval '${WINDOW_SECONDS} seconds'`;

const RECORD_HEALTH = sql`
  WITH seen AS (
    -- the calls of the window, with those of this tally; locked in the order of the key
    SELECT e.*, tally.failures_in_row, tally.failing_for_ms, tally.succeeded, tally.probe,
           calls + CASE WHEN ${IN_WINDOW} THEN e.window_calls ELSE 0 END AS calls,
           failed + CASE WHEN ${IN_WINDOW} THEN e.window_failures ELSE 0 END AS failed
      FROM endpoint e
      JOIN ${TALLIES.from}
        ON tally.webhook_id = e.webhook_id
     ORDER BY e.webhook_id
       FOR UPDATE OF e
  ), judged AS (
    SELECT *,
           failures_in_row + CASE WHEN succeeded THEN 0 ELSE failures END AS in_row,
           CASE
             WHEN probe = 'ok' THEN 0
             WHEN probe = 'failed' THEN LEAST(open_level + 1, ${MAX_OPEN_LEVEL})
             WHEN open_level = 0
                  AND failures_in_row > 0
                  AND calls >= ${MIN_CALLS}
                  AND failed >= ${FAILING_SHARE} * calls
             THEN 1
             ELSE open_level
           END AS level
      FROM seen
  ), updated AS (
    -- a breaker that opens or closes begins a new window
    UPDATE endpoint e
       SET failures = j.in_row,
           failing_since = CASE
                             WHEN j.in_row = 0 THEN NULL
                             WHEN j.succeeded OR j.failing_since IS NULL
                             THEN now() - j.failing_for_ms * interval '1 millisecond'
                             ELSE j.failing_since
                           END,
           window_from = CASE
                           WHEN j.level <> j.open_level
                                OR j.window_from <= now() - interval '${WINDOW_SECONDS} seconds'
                           THEN now()
                           ELSE j.window_from
                         END,
           window_calls = CASE WHEN j.level = j.open_level THEN j.calls ELSE 0 END,
           window_failures = CASE WHEN j.level = j.open_level THEN j.failed ELSE 0 END,
           open_level = j.level,
           open_until = CASE
                          WHEN j.level = 0 THEN NULL
                          WHEN j.level = j.open_level THEN j.open_until
                          ELSE now() + make_interval(
                            secs => LEAST(${OPEN_SECONDS} * 2 ^ LEAST(j.level - 1, 10), ${MAX_OPEN_SECONDS})
                          )
                        END
      FROM judged j
     WHERE e.webhook_id = j.webhook_id
    RETURNING e.webhook_id, e.failures, e.failing_since, e.open_level, j.open_level AS open_level_before
  ), hopeless AS (
    -- a change locks the webhook before its endpoint: one in progress is left to the next failure
    SELECT w.id, u.failures, u.failing_since
      FROM updated u
      JOIN webhook w ON w.id = u.webhook_id
     WHERE w.disabled_at IS NULL
       AND u.failures > 0
       AND (u.failing_since <= now() - interval '${FAILING_FOR}'
            OR u.failures >= ${MAX_FAILURES} AND u.failing_since <= now() - interval '${FAILURES_OVER}')
       FOR NO KEY UPDATE OF w SKIP LOCKED
  ), disabled AS (
    UPDATE webhook w
       SET disabled_at = now(),
           disabled_reason = CASE
                               WHEN h.failing_since <= now() - interval '${FAILING_FOR}'
                               THEN 'every call has failed for ${FAILING_FOR}'
                               ELSE h.failures || ' calls in a row have failed'
                             END
      FROM hopeless h
     WHERE w.id = h.id
    RETURNING w.id, w.disabled_reason
  )
  SELECT u.webhook_id AS "webhookId", w.account_id AS "accountId", u.failures, u.open_level AS "openLevel",
         u.open_level_before AS "openLevelBefore", disabled.disabled_reason AS "disabledReason"
    FROM updated u
    JOIN webhook w ON w.id = u.webhook_id
    LEFT JOIN disabled ON disabled.id = u.webhook_id`;

/**
 * Adds the tallies of a worker to the health of endpoints, opens and closes breakers, and disables the webhooks of
 * endpoints that have failed for too long. Updates one row per endpoint, whatever the number of its calls. Concurrent
 * workers wait for one another.
 *
 * @param tallies one per endpoint
 */
export function recordHealth(db: EntityManager, tallies: Tally[]): Promise<Health[]> {
  return db.query(RECORD_HEALTH, TALLIES.values(tallies));
}

/**
 * Disables a webhook and stores the reason. A disabled one keeps its first reason.
 *
 * @param endPoint the address to disable; a webhook that has another one by now stays enabled
 * @returns true when it was enabled before
 */
export async function disableWebhook(
  db: EntityManager,
  webhookId: string,
  reason: string,
  endPoint: string | null = null,
): Promise<boolean> {
  const rows = await returning(
    db,
    `UPDATE webhook
        SET disabled_at = now(), disabled_reason = $2
      WHERE id = $1
        AND disabled_at IS NULL
        AND ($3::text IS NULL OR endpoint = $3)
     RETURNING id`,
    [webhookId, reason, endPoint],
  );
  return rows.length > 0;
}

/** True when a webhook has another address than this one. */
export async function hasMoved(db: EntityManager, webhookId: string, endPoint: string): Promise<boolean> {
  const found: object[] = await db.query(
    `SELECT
       FROM webhook
      WHERE id = $1
        AND endpoint <> $2`,
    [webhookId, endPoint],
  );
  return found.length > 0;
}

/** Forgets the failures of endpoints and closes their breakers. */
const resetHealth = (webhookId: string): string => sql`
  UPDATE endpoint
     SET failures = 0, failing_since = NULL, window_from = now(), window_calls = 0, window_failures = 0,
         open_level = 0, open_until = NULL
   WHERE webhook_id = ${webhookId}`;

/** Forgets the failures of an endpoint and closes its breaker, because its webhook has another address now. */
export async function resetEndpoint(db: EntityManager, webhookId: string): Promise<void> {
  await db.query(resetHealth('$1'), [webhookId]);
}

/** Maximum pushes that become due when a webhook is enabled; the others stay due at their time. */
const MAX_HASTENED = 10_000;

const ENABLE = sql`
  WITH enabled AS (
    UPDATE webhook
       SET disabled_at = NULL, disabled_reason = NULL
     WHERE id = $1
       AND account_id = $2
       AND deleted_at IS NULL
    RETURNING id
  ), reset AS (
    ${resetHealth('(SELECT id FROM enabled)')}
  ), hastened AS (
    UPDATE push p
       SET next_attempt_at = now()
      FROM (
        SELECT webhook_id, report_id
          FROM push
         WHERE webhook_id = (SELECT id FROM enabled)
           AND next_attempt_at > now()
           AND starts = attempts
           AND error IS DISTINCT FROM 'in_flight'
         ORDER BY next_attempt_at
         LIMIT ${MAX_HASTENED}
           FOR UPDATE SKIP LOCKED
      ) AS early
     WHERE p.webhook_id = early.webhook_id
       AND p.report_id = early.report_id
  )
  SELECT count(*)::integer AS count FROM enabled`;

/**
 * Enables a webhook, whatever disabled it: resets its failures, closes its breaker, and makes its waiting pushes due.
 * Pushes in flight stay as they are. Harmless for an enabled webhook.
 *
 * @returns false when the account has no such webhook
 */
export async function enableWebhook(
  db: EntityManager,
  accountId: string,
  webhookId: string,
): Promise<boolean> {
  const [row]: [{ count: number }] = await db.query(ENABLE, [webhookId, accountId]);
  return row.count > 0;
}

/** The endpoints by state, for the metrics. */
export interface EndpointCounts {
  enabled: number;
  disabled: number;
  failing: number;
  open: number;
}

const COUNT = sql`
  SELECT known.enabled, known.disabled, troubled.failing, troubled.open
    FROM (
      SELECT count(*) FILTER (WHERE disabled_at IS NULL)::integer AS enabled,
             count(*) FILTER (WHERE disabled_at IS NOT NULL)::integer AS disabled
        FROM webhook
       WHERE deleted_at IS NULL
    ) AS known
   CROSS JOIN (
     SELECT count(*) FILTER (WHERE e.failures > 0)::integer AS failing,
            count(*) FILTER (WHERE e.open_level > 0)::integer AS open
       FROM endpoint e
       JOIN webhook w ON w.id = e.webhook_id
      WHERE (e.failures > 0 OR e.open_level > 0)
        AND w.deleted_at IS NULL
        AND w.disabled_at IS NULL
   ) AS troubled`;

/** Counts the endpoints. Looks up the webhooks of those that fail; of the others it only counts the rows. */
export async function countEndpoints(db: EntityManager): Promise<EndpointCounts> {
  const [row]: [EndpointCounts] = await db.query(COUNT);
  return row;
}

/** The backlog of a part of the endpoints. */
export interface WaitingCounts {
  /** Endpoints with waiting pushes. */
  waiting: number;
  /** Seconds since the longest overdue push was due, among enabled endpoints with a closed breaker. */
  overdueSeconds: number;
  /** The `after` of the call for the next ones; null at the end. */
  next: string | null;
}

const COUNT_WAITING = sql`
  WITH RECURSIVE ${WAITING_ENDPOINTS}
  SELECT (SELECT count(*)::integer FROM waiting) AS waiting,
         (SELECT GREATEST(0, COALESCE(extract(epoch FROM now() - min(waiting.next_attempt_at)), 0))::float
            FROM waiting
            JOIN webhook w ON w.id = waiting.webhook_id
            LEFT JOIN endpoint e ON e.webhook_id = w.id
           WHERE w.disabled_at IS NULL
             AND COALESCE(e.open_level, 0) = 0) AS "overdueSeconds",
         (SELECT webhook_id FROM waiting WHERE place = $2) AS next`;

/** Counts the next `examined` endpoints with waiting pushes behind `after`. */
export async function countWaiting(
  db: EntityManager,
  after: string | null = null,
  examined = EXAMINED,
): Promise<WaitingCounts> {
  const [row]: [WaitingCounts] = await db.query(COUNT_WAITING, [after ?? MIN_UUID, examined]);
  return row;
}
