import { randomUUIDv7 } from 'node:crypto';
import { MAX_STARTS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { guard } from './guard.ts';
import { APPLIED_REPORT, type AppliedReport } from './reports.ts';
import type { Webhook } from './entities/webhook.ts';

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
  /** The start of a failed call's answer. */
  answer: string;
  /** Whether a call was made and failed, so that it is kept as a push_attempt. */
  failedAttempt: boolean;
}

/**
 * Writes how pushes went, keeps each failed try, and settles the reports that need nothing more, all in one statement.
 * A push row is written once when its first try succeeds; one that waits is updated by later outcomes. An outcome that is
 * older than what the row knows changes nothing, so a repeated job is harmless. A claim that ends here does not count towards
 * parking: only those whose worker died do.
 *
 * @param outcomes at most one per push
 */
export async function recordPushes(db: EntityManager, settledReportIds: string[], outcomes: PushOutcome[]): Promise<void> {
  const failed = outcomes.filter((outcome) => outcome.failedAttempt);
  await db.query(
    `WITH settled AS (
       UPDATE delivery_report SET settled_at = now() WHERE id = ANY($1::uuid[]) AND settled_at IS NULL
     ), attempt AS (
       INSERT INTO push_attempt (id, report_id, webhook_id, account_id, attempt, response_status, error, answer, duration_ms, attempted_at)
       SELECT *, now() FROM unnest($10::uuid[], $11::uuid[], $12::uuid[], $13::uuid[], $14::smallint[], $15::smallint[], $16::text[], $17::text[], $18::integer[])
     )
     INSERT INTO push AS p (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, response_status, error, duration_ms, finished_at)
     SELECT o.report_id, o.webhook_id, o.account_id, o.status, o.attempts, o.attempts, now() + make_interval(secs => o.delay_ms / 1000.0),
            o.response_status, o.error, o.duration_ms, CASE WHEN o.status <> 'WAITING' THEN now() END
       FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[], $7::integer[], $8::smallint[], $9::text[], $19::integer[])
         AS o(report_id, webhook_id, account_id, status, attempts, delay_ms, response_status, error, duration_ms)
     ON CONFLICT ON CONSTRAINT push_pkey DO UPDATE
        SET status = EXCLUDED.status, attempts = EXCLUDED.attempts, next_attempt_at = EXCLUDED.next_attempt_at,
            response_status = EXCLUDED.response_status, error = EXCLUDED.error, duration_ms = EXCLUDED.duration_ms,
            finished_at = EXCLUDED.finished_at, starts = EXCLUDED.attempts
      WHERE p.status = 'WAITING' AND EXCLUDED.attempts >= p.attempts`,
    [settledReportIds, ...outcomeColumns(outcomes), ...attemptColumns(failed), outcomes.map((o) => o.durationMs)],
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
    failed.map((o) => o.durationMs),
  ];
}

/** A push taken up for a later try. */
export interface ClaimedPush extends AppliedReport {
  webhookId: string;
  attempts: number;
}

/**
 * Takes up pushes whose time has come. A claim holds for `leaseSeconds`, which must exceed the deadline of a call: two workers
 * never make the same call at once. One that was taken up far more often than it was tried stays parked.
 */
export async function claimPushes(db: EntityManager, keys: PushKey[], leaseSeconds: number): Promise<ClaimedPush[]> {
  const [rows] = (await db.query(
    `UPDATE push p
        SET next_attempt_at = now() + make_interval(secs => $3), starts = p.starts + 1
       FROM unnest($1::uuid[], $2::uuid[]) AS k(report_id, webhook_id)
       JOIN delivery_report r ON r.id = k.report_id
       JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
       JOIN submission s ON s.id = r.submission_id
      WHERE p.report_id = k.report_id AND p.webhook_id = k.webhook_id
        AND ${guard(`p.status = 'WAITING' AND p.next_attempt_at <= now() + interval '100 milliseconds' AND p.starts < p.attempts + ${MAX_STARTS}`)}
      RETURNING ${APPLIED_REPORT}, p.webhook_id AS "webhookId", p.attempts`,
    [keys.map((k) => k.reportId), keys.map((k) => k.webhookId), leaseSeconds],
  )) as [ClaimedPush[], number];
  return rows;
}

/** What the push engine needs of a webhook. */
export type PushTarget = Pick<
  Webhook,
  | 'id'
  | 'accountId'
  | 'provider'
  | 'method'
  | 'endPoint'
  | 'headers'
  | 'fields'
  | 'intermediate'
  | 'filters'
  | 'schedule'
  | 'maxInFlight'
  | 'ratePerSecond'
  | 'sealedSecret'
  | 'oldSecrets'
  | 'disabledAt'
>;

/** The SMS webhooks of these accounts, disabled ones too, deleted ones too. */
export function listPushTargets(db: EntityManager, accountIds: string[]): Promise<PushTarget[]> {
  return db.query(
    `SELECT id, account_id AS "accountId", provider, method, end_point AS "endPoint", headers, fields, intermediate, filters, schedule,
            max_in_flight AS "maxInFlight", rate_per_second AS "ratePerSecond", sealed_secret AS "sealedSecret",
            old_secrets AS "oldSecrets", disabled_at AS "disabledAt"
       FROM webhook WHERE account_id = ANY($1::uuid[]) AND channel = 'sms'`,
    [accountIds],
  );
}

/** Stops all pushes of a webhook and keeps why. A webhook that is disabled already keeps its first reason. */
export async function disableWebhook(db: EntityManager, webhookId: string, reason: string): Promise<void> {
  await db.query(`UPDATE webhook SET disabled_at = now(), disabled_reason = $2 WHERE id = $1 AND disabled_at IS NULL`, [webhookId, reason]);
}
