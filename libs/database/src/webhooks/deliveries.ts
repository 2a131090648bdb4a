import { MAX_UUID, firstIdAt } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { ReportStatus } from '@signalbox/domain/message-status';
import type { Webhook } from './webhook.entity.ts';
import { type PushKey, type PushOutcome, type PushTimings } from './pushes.ts';
import { sql } from '../core/sql.ts';
import { REPORT_SUBJECT } from '../reports/applied-report.ts';
import { nextAttemptOf } from './backlog.ts';
import type { EndpointState } from './endpoints.ts';

/** A push as the API shows it. */
export interface Delivery extends PushKey, PushTimings, MessageKey {
  channel: Webhook['channel'];
  /** The other party, also of a message that they wrote. */
  recipient: string;
  reportStatus: ReportStatus;
  status: PushOutcome['status'];
  error: string | null;
  attempts: number;
  responseStatus: number | null;
  durationMs: number | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A filter of the deliveries of a webhook. */
export interface DeliveryFilter {
  statuses: Delivery['status'][];
  from?: Date | undefined;
  to?: Date | undefined;
  recipient?: string | undefined;
  /** The reports of one message. */
  reportIds?: string[] | undefined;
}

/** Maximum number of pushes that a page reads, so that a filter that matches few of many stays fast. */
const MAX_EXAMINED = 5_000;

/** The other party of the message that a push is about; null when the message was deleted. */
const PARTY = 'COALESCE(m.recipient, i.sender)';

const COLUMNS = sql`
  p.report_id AS "reportId", p.webhook_id AS "webhookId", w.channel, r.submission_id AS "submissionId", r.n,
  ${PARTY} AS recipient, r.status AS "reportStatus", p.status, p.error, p.attempts,
  p.response_status AS "responseStatus", p.duration_ms AS "durationMs", p.dns_ms AS "dnsMs",
  p.connect_ms AS "connectMs", p.tls_ms AS "tlsMs", p.first_byte_ms AS "firstByteMs",
  ${nextAttemptOf('p.next_attempt_at')} AS "nextAttemptAt",
  p.created_at AS "createdAt", p.finished_at AS "finishedAt"`;

const REPORT = sql`
  LEFT JOIN endpoint e ON e.webhook_id = w.id
  JOIN message_event r ON r.id = p.report_id
  ${REPORT_SUBJECT}`;

/** A partial index finds the few undelivered pushes among millions of delivered ones. */
const examined = ({ statuses, reportIds }: DeliveryFilter): string => sql`
  SELECT *
    FROM push
   WHERE webhook_id = $1
     AND report_id >= $2
     AND report_id < $3
     AND ${reportIds ? 'report_id = ANY($4::uuid[])' : '$4::uuid[] IS NULL'}
     AND ${statuses.includes('DELIVERED') ? 'true' : `status <> 'DELIVERED'`}
   ORDER BY report_id DESC
   LIMIT ${MAX_EXAMINED}`;

/** A page of a webhook's deliveries, newest report first. */
export interface DeliveryPage {
  deliveries: Delivery[];
  /** The `before` of the next page; null at the end. A page that is not full may have a next one. */
  next: string | null;
}

/** Lists a page of a webhook's deliveries. @param before the report id where the previous page ended */
export async function listDeliveries(
  db: EntityManager,
  webhookId: string,
  filter: DeliveryFilter,
  limit: number,
  before?: string,
): Promise<DeliveryPage> {
  const upto = filter.to === undefined ? MAX_UUID : firstIdAt(filter.to.getTime());
  const keys = [
    webhookId,
    firstIdAt(filter.from?.getTime() ?? 0),
    before !== undefined && before < upto ? before : upto,
    filter.reportIds ?? null,
  ];
  const found: Delivery[] = await db.query(
    sql`
      SELECT ${COLUMNS}
        FROM webhook w
       CROSS JOIN (
         ${examined(filter)}
       ) AS p
        ${REPORT}
       WHERE w.id = $1
         AND p.status = ANY($5::text[])
         AND ${PARTY} IS NOT NULL
         AND ($6::text IS NULL OR ${PARTY} = $6)
       ORDER BY p.report_id DESC
       LIMIT $7`,
    [...keys, filter.statuses, filter.recipient ?? null, limit + 1],
  );
  if (found.length > limit) return { deliveries: found.slice(0, limit), next: found[limit - 1]!.reportId };
  const [last]: { reportId: string }[] = await db.query(
    sql`
      SELECT report_id AS "reportId"
        FROM (
          ${examined(filter)}
        ) AS p
       ORDER BY report_id DESC
      OFFSET ${MAX_EXAMINED - 1}`,
    keys,
  );
  return { deliveries: found, next: last?.reportId ?? null };
}

const FIND = sql`
  SELECT ${COLUMNS}
    FROM webhook w
    JOIN push p ON p.webhook_id = w.id
    ${REPORT}
   WHERE w.id = $1
     AND w.account_id = $2
     AND w.deleted_at IS NULL
     AND p.report_id = $3
     AND ${PARTY} IS NOT NULL`;

/** Finds one delivery of an account; undefined also when its webhook was deleted. */
export async function findDelivery(
  db: EntityManager,
  accountId: string,
  { webhookId, reportId }: PushKey,
): Promise<Delivery | undefined> {
  const [found]: Delivery[] = await db.query(FIND, [webhookId, accountId, reportId]);
  return found;
}

/** Lists the events of a message that move none: it is with its gateway, or a recipient wrote it. */
export async function listReplayableReports(
  db: EntityManager,
  { submissionId, n }: MessageKey,
): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `SELECT id
       FROM message_event
      WHERE submission_id = $1
        AND n = $2
        AND status IN ('SUBMITTED', 'RECEIVED')`,
    [submissionId, n],
  );
  return rows.map(({ id }) => id);
}

/** A failed attempt of a push. */
export interface FailedAttempt extends PushTimings {
  reportId: string;
  attempt: number;
  at: Date;
  responseStatus: number | null;
  error: string;
  answer: string;
  requestHeaders: Record<string, string> | null;
  durationMs: number;
}

/** Lists the failed attempts of these pushes, oldest first. */
export function listFailedAttempts(
  db: EntityManager,
  webhookId: string,
  reportIds: string[],
): Promise<FailedAttempt[]> {
  return db.query(
    `SELECT report_id AS "reportId", attempt, attempted_at AS at, response_status AS "responseStatus", error, answer,
            request_headers AS "requestHeaders", duration_ms AS "durationMs", dns_ms AS "dnsMs",
            connect_ms AS "connectMs", tls_ms AS "tlsMs", first_byte_ms AS "firstByteMs"
       FROM push_attempt
      WHERE webhook_id = $1
        AND report_id = ANY($2::uuid[])
      ORDER BY attempted_at, attempt`,
    [webhookId, reportIds],
  );
}

/** The health of an endpoint: its breaker, its backlog, and its latest deliveries. */
export interface EndpointStats extends EndpointState {
  sampled: number;
  delivered: number;
  exhausted: number;
  failedCalls: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

/** The backlog is counted up to this. */
export const MAX_BACKLOG = 100_000;

/** Number of the latest deliveries that the statistics cover. */
export const SAMPLED_DELIVERIES = 1_000;

const READ_STATS = sql`
  WITH latest AS (
    SELECT status, duration_ms, report_id
      FROM (
        SELECT *
          FROM push
         WHERE webhook_id = $1
         ORDER BY report_id DESC
         LIMIT ${MAX_EXAMINED}
      ) AS p
     WHERE status <> 'WAITING' OR attempts > 0
     ORDER BY report_id DESC
     LIMIT ${SAMPLED_DELIVERIES}
  ), backlog AS (
    SELECT next_attempt_at
      FROM push
     WHERE webhook_id = $1
       AND next_attempt_at IS NOT NULL
     ORDER BY next_attempt_at
     LIMIT ${MAX_BACKLOG}
  )
  SELECT COALESCE(e.failures, 0) AS "failuresInRow",
         e.failing_since AS "failingSince",
         COALESCE(e.open_level, 0) AS "openLevel",
         e.open_until AS "openUntil",
         (SELECT count(*)::integer FROM backlog) AS backlog,
         (SELECT min(${nextAttemptOf('next_attempt_at')})
            FROM backlog) AS "nextAttemptAt",
         count(latest.*)::integer AS sampled,
         count(*) FILTER (WHERE latest.status = 'DELIVERED')::integer AS delivered,
         count(*) FILTER (WHERE latest.status = 'EXHAUSTED')::integer AS exhausted,
         (SELECT count(*)::integer
            FROM latest l
            JOIN push_attempt d ON d.webhook_id = $1 AND d.report_id = l.report_id) AS "failedCalls",
         percentile_disc(0.5) WITHIN GROUP (ORDER BY latest.duration_ms)
           FILTER (WHERE latest.status = 'DELIVERED') AS "p50Ms",
         percentile_disc(0.95) WITHIN GROUP (ORDER BY latest.duration_ms)
           FILTER (WHERE latest.status = 'DELIVERED') AS "p95Ms"
    FROM (SELECT) AS one
    LEFT JOIN webhook w ON w.id = $1
    LEFT JOIN endpoint e ON e.webhook_id = $1
    LEFT JOIN latest ON true
   GROUP BY w.id, e.webhook_id`;

/** Computes the health of an endpoint from its latest pushes. Nothing is counted while pushes are made. */
export async function readEndpointStats(db: EntityManager, webhookId: string): Promise<EndpointStats> {
  const [stats]: [EndpointStats] = await db.query(READ_STATS, [webhookId]);
  return stats;
}
