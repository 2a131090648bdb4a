import type { EntityManager } from 'typeorm';

/** The breaker of an end point opens when so many of its calls within the window fail, and at least this part of them. */
export const MIN_CALLS = 10;
const FAILING_SHARE = 0.7;
export const WINDOW_SECONDS = 300;

/** It stays open for so long, twice as long after each probe that fails, and never longer than the maximum. */
const OPEN_SECONDS = 30;
const MAX_OPEN_SECONDS = 600;

/** An end point is disabled after so many failures in a row over at least a day, or when it has done nothing but fail for five days. */
const MAX_FAILURES = 100;
const FAILURES_OVER = '24 hours';
const FAILING_FOR = '5 days';

/** What a worker saw of an end point since it last told. */
export interface Tally {
  webhookId: string;
  calls: number;
  failures: number;
  /** Whether any call succeeded. */
  succeeded: boolean;
  /** Failures since the last success, and how long ago the first of them was. */
  failuresInRow: number;
  failingForMs: number;
  /** How the call went that a breaker let through, if there was one. */
  probe: 'ok' | 'failed' | null;
}

/** How an end point stands after a tally. */
export interface Health {
  webhookId: string;
  accountId: string;
  failures: number;
  /** 0 while its breaker is closed, else how often in a row it opened. */
  openLevel: number;
  openLevelBefore: number;
  /** Why it was disabled by this tally; null when it was not. */
  disabledReason: string | null;
}

/** Makes room for what is known of these end points; one that has a row, or whose webhook is gone, is passed over. */
export async function addEndpoints(db: EntityManager, webhookIds: string[]): Promise<void> {
  await db.query(
    `INSERT INTO endpoint (webhook_id) SELECT id FROM webhook WHERE id = ANY($1::uuid[]) ORDER BY id
     ON CONFLICT ON CONSTRAINT endpoint_pkey DO NOTHING`,
    [webhookIds],
  );
}

/**
 * Adds what a worker saw to what all know: counts, opens and closes breakers, and disables end points that have failed for too
 * long. One row is changed per end point, whatever the number of its calls; workers that tell at the same time take turns.
 *
 * @param tallies one per end point
 */
export function recordHealth(db: EntityManager, tallies: Tally[]): Promise<Health[]> {
  return db.query(
    `WITH seen AS (
       SELECT e.*, t.failures_in_row, t.failing_for_ms, t.succeeded, t.probe,
              t.calls + CASE WHEN e.window_from > now() - interval '${WINDOW_SECONDS} seconds' THEN e.window_calls ELSE 0 END AS calls,
              t.failed + CASE WHEN e.window_from > now() - interval '${WINDOW_SECONDS} seconds' THEN e.window_failures ELSE 0 END AS failed
         FROM endpoint e
         JOIN unnest($1::uuid[], $2::integer[], $3::integer[], $4::boolean[], $5::integer[], $6::integer[], $7::text[])
           AS t(webhook_id, calls, failed, succeeded, failures_in_row, failing_for_ms, probe) ON t.webhook_id = e.webhook_id
        ORDER BY e.webhook_id FOR UPDATE OF e
     ), judged AS (
       SELECT *, failures_in_row + CASE WHEN succeeded THEN 0 ELSE failures END AS in_row,
              CASE WHEN probe = 'ok' THEN 0 WHEN probe = 'failed' THEN open_level + 1
                   WHEN open_level = 0 AND failures_in_row > 0 AND calls >= ${MIN_CALLS} AND failed >= ${FAILING_SHARE} * calls THEN 1 ELSE open_level END AS level
         FROM seen
     ), told AS (
       UPDATE endpoint e
          SET failures = j.in_row,
              failing_since = CASE WHEN j.in_row = 0 THEN NULL WHEN j.succeeded OR j.failing_since IS NULL THEN now() - j.failing_for_ms * interval '1 millisecond'
                                   ELSE j.failing_since END,
              window_from = CASE WHEN j.level <> j.open_level OR j.window_from <= now() - interval '${WINDOW_SECONDS} seconds' THEN now() ELSE j.window_from END,
              window_calls = CASE WHEN j.level = j.open_level THEN j.calls ELSE 0 END,
              window_failures = CASE WHEN j.level = j.open_level THEN j.failed ELSE 0 END,
              open_level = j.level,
              open_until = CASE WHEN j.level = 0 THEN NULL WHEN j.level = j.open_level THEN j.open_until
                                ELSE now() + make_interval(secs => LEAST(${OPEN_SECONDS} * 2 ^ LEAST(j.level - 1, 10), ${MAX_OPEN_SECONDS})) END
         FROM judged j WHERE e.webhook_id = j.webhook_id
       RETURNING e.webhook_id, e.failures, e.failing_since, e.open_level, j.open_level AS open_level_before
     ), disabled AS (
       UPDATE webhook w
          SET disabled_at = now(),
              disabled_reason = CASE WHEN told.failing_since <= now() - interval '${FAILING_FOR}' THEN 'every call has failed for ${FAILING_FOR}'
                                     ELSE told.failures || ' calls in a row have failed' END
         FROM told
        WHERE w.id = told.webhook_id AND w.disabled_at IS NULL AND told.failures > 0
          AND (told.failing_since <= now() - interval '${FAILING_FOR}'
            OR told.failures >= ${MAX_FAILURES} AND told.failing_since <= now() - interval '${FAILURES_OVER}')
       RETURNING w.id, w.disabled_reason
     )
     SELECT told.webhook_id AS "webhookId", w.account_id AS "accountId", told.failures, told.open_level AS "openLevel",
            told.open_level_before AS "openLevelBefore", disabled.disabled_reason AS "disabledReason"
       FROM told JOIN webhook w ON w.id = told.webhook_id LEFT JOIN disabled ON disabled.id = told.webhook_id`,
    [
      tallies.map((t) => t.webhookId),
      tallies.map((t) => t.calls),
      tallies.map((t) => t.failures),
      tallies.map((t) => t.succeeded),
      tallies.map((t) => t.failuresInRow),
      tallies.map((t) => t.failingForMs),
      tallies.map((t) => t.probe),
    ],
  );
}

/** Each end point with pushes that wait, and when the first of them is due: one step through an index for each. */
const WAITING_ENDPOINTS = `
  (SELECT webhook_id, next_attempt_at FROM push WHERE next_attempt_at IS NOT NULL ORDER BY webhook_id, next_attempt_at LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at
    FROM waiting, LATERAL (SELECT webhook_id, next_attempt_at FROM push
                            WHERE next_attempt_at IS NOT NULL AND webhook_id > waiting.webhook_id
                            ORDER BY webhook_id, next_attempt_at LIMIT 1) AS next`;

/** An end point with pushes that are due. */
export interface DueEndpoint {
  webhookId: string;
  maxInFlight: number;
  ratePerSecond: number | null;
  /** Its breaker is open, and its time is over: one call may find out how it is. */
  needsProbe: boolean;
}

/**
 * The end points that have a push due now and may be called. It steps from end point to end point through the index of waiting
 * pushes, so what it costs depends on how many end points have pushes waiting, and not on how many pushes wait.
 */
export function listDueEndpoints(db: EntityManager): Promise<DueEndpoint[]> {
  return db.query(
    `WITH RECURSIVE waiting AS (${WAITING_ENDPOINTS})
     SELECT w.id AS "webhookId", w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", COALESCE(e.open_level > 0, false) AS "needsProbe"
       FROM waiting JOIN webhook w ON w.id = waiting.webhook_id LEFT JOIN endpoint e ON e.webhook_id = w.id
      WHERE waiting.next_attempt_at <= now() AND w.disabled_at IS NULL AND (e.open_until IS NULL OR e.open_until <= now())`,
  );
}

/**
 * Takes the right to probe these end points: for `leaseSeconds`, which must exceed the deadline of a call, nobody else gets it.
 *
 * @returns those it was taken for
 */
export async function claimProbes(
  db: EntityManager,
  webhookIds: string[],
  leaseSeconds: number,
): Promise<string[]> {
  const [rows] = (await db.query(
    `UPDATE endpoint SET open_until = now() + make_interval(secs => $2)
      WHERE webhook_id IN (SELECT webhook_id FROM endpoint WHERE webhook_id = ANY($1::uuid[]) AND open_until <= now() FOR UPDATE SKIP LOCKED)
      RETURNING webhook_id AS "webhookId"`,
    [webhookIds, leaseSeconds],
  )) as [{ webhookId: string }[], number];
  return rows.map((row) => row.webhookId);
}

/** Stops all pushes of a webhook and keeps why. A webhook that is disabled already keeps its first reason; true when it was not. */
export async function disableWebhook(db: EntityManager, webhookId: string, reason: string): Promise<boolean> {
  const [rows] = (await db.query(
    `UPDATE webhook SET disabled_at = now(), disabled_reason = $2 WHERE id = $1 AND disabled_at IS NULL RETURNING id`,
    [webhookId, reason],
  )) as [object[], number];
  return rows.length > 0;
}

/** An operator who enables a webhook need not wait for more pushes than this: others come at their time. */
const MAX_HASTENED = 10_000;

/**
 * Puts a webhook on again, whatever turned it off: its failures are forgotten, its breaker is closed, and what waits for it is due.
 * Pushes that are being called are left alone. Harmless for one that is on.
 *
 * @returns false when the account has no such webhook
 */
export async function enableWebhook(
  db: EntityManager,
  accountId: string,
  webhookId: string,
): Promise<boolean> {
  const [row] = (await db.query(
    `WITH enabled AS (
       UPDATE webhook SET disabled_at = NULL, disabled_reason = NULL WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL RETURNING id
     ), forgotten AS (
       UPDATE endpoint SET failures = 0, failing_since = NULL, window_from = now(), window_calls = 0, window_failures = 0, open_level = 0, open_until = NULL
        WHERE webhook_id = (SELECT id FROM enabled)
     ), hastened AS (
       UPDATE push p SET next_attempt_at = now()
         FROM (SELECT webhook_id, report_id FROM push
                WHERE webhook_id = (SELECT id FROM enabled) AND next_attempt_at > now() AND starts = attempts AND error IS DISTINCT FROM 'in_flight'
                ORDER BY next_attempt_at LIMIT ${MAX_HASTENED} FOR UPDATE SKIP LOCKED) AS early
        WHERE p.webhook_id = early.webhook_id AND p.report_id = early.report_id
     )
     SELECT count(*)::integer AS count FROM enabled`,
    [webhookId, accountId],
  )) as [{ count: number }];
  return row.count > 0;
}

/** End points by how they stand, and what waits for them, for the metrics. */
export interface EndpointCounts {
  enabled: number;
  disabled: number;
  failing: number;
  open: number;
  /** Those with pushes that wait. */
  waiting: number;
  /** How long the push that is due longest has been, where nothing but us holds it up. */
  overdueSeconds: number;
}

export async function countEndpoints(db: EntityManager): Promise<EndpointCounts> {
  const [row] = (await db.query(
    `WITH RECURSIVE waiting AS (${WAITING_ENDPOINTS})
     SELECT count(*) FILTER (WHERE w.disabled_at IS NULL)::integer AS enabled, count(*) FILTER (WHERE w.disabled_at IS NOT NULL)::integer AS disabled,
            count(*) FILTER (WHERE e.failures > 0 AND w.disabled_at IS NULL)::integer AS failing,
            count(*) FILTER (WHERE e.open_level > 0 AND w.disabled_at IS NULL)::integer AS open,
            (SELECT count(*)::integer FROM waiting) AS waiting,
            (SELECT GREATEST(0, COALESCE(extract(epoch FROM now() - min(waiting.next_attempt_at)), 0))::float
               FROM waiting JOIN webhook o ON o.id = waiting.webhook_id LEFT JOIN endpoint oe ON oe.webhook_id = o.id
              WHERE o.disabled_at IS NULL AND COALESCE(oe.open_level, 0) = 0) AS "overdueSeconds"
       FROM webhook w LEFT JOIN endpoint e ON e.webhook_id = w.id
      WHERE w.deleted_at IS NULL`,
  )) as [EndpointCounts];
  return row;
}
