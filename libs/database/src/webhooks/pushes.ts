import { randomUUIDv7 } from 'node:crypto';
import { MAX_STARTS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { APPLIED_REPORT, type AppliedReport, REPORT_SUBJECT } from '../reports/reports.ts';
import type { Webhook } from './webhook.entity.ts';

/** One webhook call about one report is known by both ids; they are the key of its row. */
export interface PushKey {
  reportId: string;
  webhookId: string;
}

/** Where a push stands after a try, or after it was put off without one. */
export interface PushOutcome extends PushKey {
  accountId: string;
  status: 'WAITING' | 'DELIVERED' | 'EXHAUSTED';
  /** Calls made so far. */
  attempts: number;
  /** From now to the next try; null unless WAITING. */
  nextDelayMs: number | null;
  responseStatus: number | null;
  /** Why the try failed, or why there was none; null for success. */
  error: string | null;
  durationMs: number | null;
  /** Where the time of the call went; null for what did not happen. */
  timings: PushTimings;
  /** The start of a failed call's answer. */
  answer: string;
  /** The headers of a failed call, without its signature. */
  requestHeaders: Record<string, string> | null;
  /** Whether a call was made and failed, so that it is kept as a push_attempt. */
  failedAttempt: boolean;
}

/** Milliseconds from one step of a call to the next. A call over a connection that was open has none for the first three. */
export interface PushTimings {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
}

/**
 * Writes how pushes went, keeps each failed try, and settles the reports that need nothing more, all in one statement.
 * A push row is written once when its first try succeeds; one that waits is updated by later outcomes. An outcome that is
 * older than what the row knows changes nothing, so a repeated job is harmless. A claim that ends here does not count towards
 * parking: only those whose worker died do.
 *
 * @param outcomes at most one per push
 */
export async function recordPushes(
  db: EntityManager,
  settledReportIds: string[],
  outcomes: PushOutcome[],
): Promise<void> {
  const failed = outcomes.filter((outcome) => outcome.failedAttempt);
  await db.query(
    `WITH settled AS (
       UPDATE delivery_report SET settled_at = now() WHERE id = ANY($1::uuid[]) AND settled_at IS NULL
     ), attempt AS (
       INSERT INTO push_attempt (id, report_id, webhook_id, account_id, attempt, response_status, error, answer, request_headers,
                                 duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, attempted_at)
       SELECT *, now() FROM unnest($15::uuid[], $16::uuid[], $17::uuid[], $18::uuid[], $19::smallint[], $20::smallint[], $21::text[], $22::text[], $23::jsonb[],
                                   $24::integer[], $25::smallint[], $26::smallint[], $27::smallint[], $28::smallint[])
     )
     INSERT INTO push AS p (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, response_status, error,
                            duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, finished_at)
     SELECT o.report_id, o.webhook_id, o.account_id, o.status, o.attempts, o.attempts, now() + make_interval(secs => o.delay_ms / 1000.0),
            o.response_status, o.error, o.duration_ms, o.dns_ms, o.connect_ms, o.tls_ms, o.first_byte_ms, CASE WHEN o.status <> 'WAITING' THEN now() END
       FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[], $7::integer[], $8::smallint[], $9::text[],
                   $10::integer[], $11::smallint[], $12::smallint[], $13::smallint[], $14::smallint[])
         AS o(report_id, webhook_id, account_id, status, attempts, delay_ms, response_status, error, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms)
     ON CONFLICT ON CONSTRAINT push_pkey DO UPDATE
        SET status = EXCLUDED.status, attempts = EXCLUDED.attempts, next_attempt_at = EXCLUDED.next_attempt_at,
            response_status = EXCLUDED.response_status, error = EXCLUDED.error, duration_ms = EXCLUDED.duration_ms, dns_ms = EXCLUDED.dns_ms,
            connect_ms = EXCLUDED.connect_ms, tls_ms = EXCLUDED.tls_ms, first_byte_ms = EXCLUDED.first_byte_ms,
            finished_at = EXCLUDED.finished_at, starts = EXCLUDED.attempts
      WHERE p.status = 'WAITING' AND EXCLUDED.attempts >= p.attempts`,
    [settledReportIds, ...outcomeColumns(outcomes), ...attemptColumns(failed)],
  );
}

function outcomeColumns(outcomes: PushOutcome[]): unknown[] {
  return [
    outcomes.map((o) => o.reportId),
    outcomes.map((o) => o.webhookId),
    outcomes.map((o) => o.accountId),
    outcomes.map((o) => o.status),
    outcomes.map((o) => o.attempts),
    outcomes.map((o) => o.nextDelayMs),
    outcomes.map((o) => o.responseStatus),
    outcomes.map((o) => o.error),
    ...timeColumns(outcomes),
  ];
}

function attemptColumns(failed: PushOutcome[]): unknown[] {
  return [
    failed.map(() => randomUUIDv7()),
    failed.map((o) => o.reportId),
    failed.map((o) => o.webhookId),
    failed.map((o) => o.accountId),
    failed.map((o) => o.attempts),
    failed.map((o) => o.responseStatus),
    failed.map((o) => o.error),
    failed.map((o) => o.answer),
    failed.map((o) => o.requestHeaders && JSON.stringify(o.requestHeaders)),
    ...timeColumns(failed),
  ];
}

function timeColumns(outcomes: PushOutcome[]): unknown[] {
  return [
    outcomes.map((o) => o.durationMs),
    outcomes.map((o) => whole(o.timings.dnsMs)),
    outcomes.map((o) => whole(o.timings.connectMs)),
    outcomes.map((o) => whole(o.timings.tlsMs)),
    outcomes.map((o) => whole(o.timings.firstByteMs)),
  ];
}

function whole(ms: number | null): number | null {
  return ms === null ? null : Math.min(Math.round(ms), 32_767);
}

/** Whether an earlier report `er` with push `e`, if any, has still to be told. One that is parked is not waited for. */
const NEEDS_PUSH = `(er.settled_at IS NULL AND er.starts < ${MAX_STARTS} OR e.status = 'WAITING')`;

/** A push of a report, and an earlier report of the same message. */
export interface PushPredecessor extends PushKey {
  earlierReportId: string;
}

/** The pushes among these that must wait, since an earlier status of their message has still to be told to the same webhook. */
export function listPredecessors(db: EntityManager, orders: PushPredecessor[]): Promise<PushKey[]> {
  return db.query(
    `SELECT DISTINCT k.report_id AS "reportId", k.webhook_id AS "webhookId"
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS k(report_id, webhook_id, earlier_id)
       JOIN delivery_report er ON er.id = k.earlier_id
       LEFT JOIN push e ON e.webhook_id = k.webhook_id AND e.report_id = k.earlier_id
      WHERE ${NEEDS_PUSH}`,
    [orders.map((o) => o.reportId), orders.map((o) => o.webhookId), orders.map((o) => o.earlierReportId)],
  );
}

/** A push taken up for a later try. */
export interface ClaimedPush extends AppliedReport {
  webhookId: string;
  attempts: number;
  /** Those made before it was last replayed: its schedule began anew after them. */
  attemptsBefore: number;
  /** When to look again, from now, while an earlier status of its message has still to be told; null when it may be called. */
  behindMs: number | null;
}

/**
 * Of a push of report `r` at webhook `due`: when to look again, if an earlier report that moved message `m` has not been told of
 * yet. A predecessor that is being called, or that has no push yet, is looked at each second; else nothing changes before its next try.
 */
const BEHIND_UNTIL = `
  SELECT max(GREATEST(now() + interval '1 second', CASE WHEN e.error = 'in_flight' OR e.starts > e.attempts THEN NULL ELSE e.next_attempt_at END)) AS until
    FROM unnest(m.moved_by[: array_position(m.moved_by, r.id) - 1]) AS earlier(id)
    JOIN delivery_report er ON er.id = earlier.id
    LEFT JOIN push e ON e.webhook_id = due.webhook_id AND e.report_id = earlier.id
   WHERE cardinality(m.moved_by) > 1 AND ${NEEDS_PUSH}`;

/**
 * Takes up pushes that are due: of each end point the oldest, and no more than there is room for. A claim holds for `leaseSeconds`,
 * which must exceed the deadline of a call: two workers never make the same call at once. A push whose workers died MAX_STARTS
 * times in a row is given up instead, and so is one whose report is gone.
 *
 * @param rooms how many of each end point
 */
export async function claimPushes(
  db: EntityManager,
  rooms: { webhookId: string; room: number }[],
  leaseSeconds: number,
): Promise<ClaimedPush[]> {
  const isLost = `(m.submission_id IS NULL AND i.id IS NULL OR p.starts >= p.attempts + ${MAX_STARTS})`;
  const [rows] = (await db.query(
    `WITH due AS MATERIALIZED (
       SELECT d.webhook_id, d.report_id
         FROM unnest($1::uuid[], $2::integer[]) AS k(webhook_id, room),
              LATERAL (SELECT webhook_id, report_id FROM push WHERE webhook_id = k.webhook_id AND next_attempt_at <= now()
                        ORDER BY next_attempt_at LIMIT k.room FOR UPDATE SKIP LOCKED) AS d
     )
     UPDATE push p
        SET starts = p.starts + 1,
            status = CASE WHEN ${isLost} THEN 'EXHAUSTED' ELSE 'WAITING' END,
            next_attempt_at = CASE WHEN ${isLost} THEN NULL ELSE now() + make_interval(secs => $3) END,
            error = CASE WHEN ${isLost} THEN 'given_up' ELSE p.error END,
            finished_at = CASE WHEN ${isLost} THEN now() END
       FROM due
       LEFT JOIN delivery_report r ON r.id = due.report_id ${REPORT_SUBJECT}
       LEFT JOIN LATERAL (${BEHIND_UNTIL}) AS behind ON true
      WHERE p.webhook_id = due.webhook_id AND p.report_id = due.report_id
      RETURNING ${APPLIED_REPORT}, p.status AS "pushStatus", p.webhook_id AS "webhookId", p.attempts, p.attempts_before AS "attemptsBefore",
                (extract(epoch FROM behind.until - now()) * 1000)::integer AS "behindMs"`,
    [rooms.map((r) => r.webhookId), rooms.map((r) => r.room), leaseSeconds],
  )) as [(ClaimedPush & { pushStatus: string })[], number];
  return rows.filter((row) => row.pushStatus === 'WAITING');
}

/** What the push engine needs of a webhook, with how its end point stands. */
export interface WebhookTarget
  extends Pick<
    Webhook,
    | 'id'
    | 'accountId'
    | 'channel'
    | 'provider'
    | 'method'
    | 'endPoint'
    | 'headers'
    | 'fields'
    | 'events'
    | 'intermediate'
    | 'filters'
    | 'schedule'
    | 'maxInFlight'
    | 'ratePerSecond'
    | 'sealedSecret'
    | 'oldSecrets'
    | 'disabledAt'
  > {
  /** 0 while its breaker is closed. */
  openLevel: number;
  /** Its calls that failed since the last that succeeded. */
  failures: number;
}

/** The webhooks of these accounts, of either channel, disabled ones too. */
export function listPushTargets(db: EntityManager, accountIds: string[]): Promise<WebhookTarget[]> {
  return db.query(
    `SELECT w.id, w.account_id AS "accountId", w.channel, w.provider, w.method, w.end_point AS "endPoint", w.headers, w.fields, w.events,
            w.intermediate, w.filters, w.schedule, w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", w.sealed_secret AS "sealedSecret",
            w.old_secrets AS "oldSecrets", w.disabled_at AS "disabledAt", COALESCE(e.open_level, 0) AS "openLevel", COALESCE(e.failures, 0) AS failures
       FROM webhook w LEFT JOIN endpoint e ON e.webhook_id = w.id
      WHERE w.account_id = ANY($1::uuid[]) AND w.deleted_at IS NULL`,
    [accountIds],
  );
}

/** How long pushes wait for a webhook that is disabled. */
const KEPT_WAITING_DAYS = 30;

/**
 * Gives up pushes that wait in vain: of webhooks that were deleted, and of those disabled for 30 days. They are kept, and can be
 * replayed while the webhook is there. A bounded number at a time.
 */
export async function sweepPushes(db: EntityManager): Promise<number> {
  const [, count] = (await db.query(
    `UPDATE push p SET status = 'EXHAUSTED', next_attempt_at = NULL, finished_at = now(),
                       error = CASE WHEN vain.deleted_at IS NULL THEN 'webhook_disabled' ELSE 'webhook_deleted' END
       FROM (SELECT d.webhook_id, d.report_id, w.deleted_at
               FROM webhook w,
                    LATERAL (SELECT webhook_id, report_id FROM push WHERE webhook_id = w.id AND next_attempt_at IS NOT NULL LIMIT 5000 FOR UPDATE SKIP LOCKED) AS d
              WHERE w.deleted_at > now() - interval '${KEPT_WAITING_DAYS} days' OR w.disabled_at < now() - interval '${KEPT_WAITING_DAYS} days'
              LIMIT 20000) AS vain
      WHERE p.webhook_id = vain.webhook_id AND p.report_id = vain.report_id`,
    [],
  )) as [unknown[], number];
  return count;
}
