import { randomUUIDv7 } from 'node:crypto';
import { MAX_STARTS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { mayHaveLostCommits } from '../core/lost-commits.ts';
import { returning } from '../core/returning.ts';
import { NAMED_IDS, rowset } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';
import {
  APPLIED_REPORT,
  type AppliedColumns,
  type AppliedReport,
  REPORT_SUBJECT,
  toApplied,
} from '../reports/applied-report.ts';
import { IS_BEFORE_REPORT } from '../reports/status-order.ts';

/** The key of a push: one webhook call about one report. */
export interface PushKey {
  reportId: string;
  webhookId: string;
}

/** The state of a push after an attempt, or after it was postponed without one. */
export interface PushOutcome extends PushKey {
  accountId: string;
  status: 'WAITING' | 'DELIVERED' | 'EXHAUSTED';
  /** Attempts so far. */
  attempts: number;
  /** Delay from now to the next attempt; null unless WAITING. */
  nextDelayMs: number | null;
  responseStatus: number | null;
  /** Reason that the attempt failed or was not made; null for success. */
  error: string | null;
  durationMs: number | null;
  /** Duration of each phase of the call; null for a phase that did not happen. */
  timings: PushTimings;
  /** The beginning of the answer to a failed attempt. */
  answer: string;
  /** The request headers of a failed attempt, without its signature. */
  requestHeaders: Record<string, string> | null;
  /** True when an attempt was made and failed: it is stored as a push_attempt. */
  failedAttempt: boolean;
}

/** Milliseconds in each phase of a call. A call over an open connection has none of the first three. */
export interface PushTimings {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
}

const TIMES = {
  duration_ms: 'integer',
  dns_ms: ['smallint', ({ timings }: PushOutcome) => whole(timings.dnsMs)],
  connect_ms: ['smallint', ({ timings }: PushOutcome) => whole(timings.connectMs)],
  tls_ms: ['smallint', ({ timings }: PushOutcome) => whole(timings.tlsMs)],
  first_byte_ms: ['smallint', ({ timings }: PushOutcome) => whole(timings.firstByteMs)],
} as const;

function whole(ms: number | null): number | null {
  return ms === null ? null : Math.min(Math.round(ms), 32_767);
}

const OUTCOMES = rowset(
  'outcome',
  {
    report_id: 'uuid',
    webhook_id: 'uuid',
    account_id: 'uuid',
    status: 'text',
    attempts: 'smallint',
    next_delay_ms: 'integer',
    response_status: 'smallint',
    error: 'text',
    ...TIMES,
  },
  2,
);

const ATTEMPTS = rowset(
  'failed',
  {
    id: ['uuid', (_failed: PushOutcome) => randomUUIDv7()],
    report_id: 'uuid',
    webhook_id: 'uuid',
    account_id: 'uuid',
    attempt: ['smallint', (failed: PushOutcome) => failed.attempts],
    response_status: 'smallint',
    error: 'text',
    answer: 'text',
    request_headers: 'jsonb',
    ...TIMES,
  },
  15, // after $1 and the 13 columns of OUTCOMES
);

/** True when a report `r` can still move its message: the commit of its move was lost. */
const IS_UNDONE = sql`
  EXISTS (
    SELECT
      FROM message m
     WHERE m.submission_id = r.submission_id
       AND m.n = r.n
       AND ${IS_BEFORE_REPORT}
  )`;

const DELIVERIES = rowset(
  'delivered',
  { report_id: 'uuid', webhook_id: 'uuid', account_id: 'uuid', response_status: 'smallint', ...TIMES },
  2,
  ['webhook_id', 'account_id', 'response_status'],
);

/** Settles the reports `r` of $1 that meet a condition. */
const settle = (condition: string): string => sql`
  UPDATE message_event r
     SET settled_at = now(), due_at = NULL
    FROM ${NAMED_IDS}
   WHERE r.id = named.id
     AND ${condition}`;

/*
 * Settles reports, and records what came of their pushes.
 *
 *   $1       uuid[]  ids of reports that need nothing more
 *   $2-$14   an array for each column of OUTCOMES, with a value for each push
 *   $15-$28  an array for each column of ATTEMPTS, with a value for each failed attempt
 *
 * 1. `settled` settles the reports that meet a condition, so that no job processes them again.
 * 2. `attempt` stores the failed attempts.
 * 3. INSERT stores the pushes. A push that exists is updated while it waits, and by no outcome older than its row.
 *
 * - Once only: one statement settles a report and stores its pushes. So a report without its pushes stays open, and its
 *   job runs again.
 * - Locks: reports and pushes are locked in the order of their keys, so that two processes with the same pushes never
 *   deadlock.
 */
const record = (condition: string): string => sql`
  WITH settled AS (
    ${settle(condition)}
  ), attempt AS (
    INSERT INTO push_attempt (${ATTEMPTS.columns}, attempted_at)
    SELECT failed.*, now()
      FROM ${ATTEMPTS.from}
     -- the answer to a call may name a person who was erased meanwhile; the lock makes an erasure in progress wait
     WHERE EXISTS (SELECT FROM message_event e WHERE e.id = failed.report_id FOR KEY SHARE)
  )
  INSERT INTO push AS p (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, response_status,
                         error, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, finished_at)
  SELECT report_id, webhook_id, account_id, status, attempts, attempts,
         now() + make_interval(secs => next_delay_ms / 1000.0), response_status,
         error, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
         CASE WHEN status <> 'WAITING' THEN now() END
    FROM ${OUTCOMES.from}
   ORDER BY webhook_id, report_id
  ON CONFLICT ON CONSTRAINT push_pkey DO UPDATE
     SET status = EXCLUDED.status,
         attempts = EXCLUDED.attempts,
         -- a claim with an outcome does not count towards giving up
         starts = EXCLUDED.attempts,
         next_attempt_at = EXCLUDED.next_attempt_at,
         response_status = EXCLUDED.response_status,
         error = EXCLUDED.error,
         duration_ms = EXCLUDED.duration_ms,
         dns_ms = EXCLUDED.dns_ms,
         connect_ms = EXCLUDED.connect_ms,
         tls_ms = EXCLUDED.tls_ms,
         first_byte_ms = EXCLUDED.first_byte_ms,
         finished_at = EXCLUDED.finished_at
   WHERE p.status = 'WAITING'
     AND EXCLUDED.attempts >= p.attempts`;

const OPEN = guard('r.settled_at IS NULL');

const RECORD = record(OPEN);

/** Settles reports, and records that the first attempts of their pushes succeeded. */
const RECORD_DELIVERED = sql`
  WITH settled AS (
    ${settle(OPEN)}
  )
  INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, response_status,
                    duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, finished_at)
  SELECT report_id, webhook_id, account_id, 'DELIVERED', 1, 1, response_status,
         duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, now()
    FROM ${DELIVERIES.from}
   ORDER BY webhook_id, report_id`;

const RECORD_CHECKED = record(sql`
  ${OPEN}
  AND NOT ${IS_UNDONE}`);

/**
 * Records the outcomes of pushes, stores each failed attempt, and settles the reports that need nothing more, in one
 * statement. A push whose first attempt succeeds is written once; later outcomes update a waiting one. An outcome older
 * than the row changes nothing, so a repeated job is harmless.
 *
 * @param outcomes at most one per push
 */
export async function recordPushes(
  db: EntityManager,
  settledReportIds: string[],
  outcomes: PushOutcome[],
): Promise<void> {
  if (mayHaveLostCommits(db)) return recordPushesChecked(db, settledReportIds, outcomes);
  const isRecorded =
    areFirstDeliveries(settledReportIds, outcomes) && (await insertDelivered(db, settledReportIds, outcomes));
  if (!isRecorded) await db.query(RECORD, recordValues(settledReportIds, outcomes));
}

/** True when no push has a row yet, except after a job that ran before, and none needs another attempt. */
function areFirstDeliveries(settledReportIds: string[], outcomes: PushOutcome[]): boolean {
  const settled = new Set(settledReportIds);
  return outcomes.every(
    ({ reportId, status, attempts }) => status === 'DELIVERED' && attempts === 1 && settled.has(reportId),
  );
}

/**
 * Records first attempts that succeeded. This costs a quarter less, because it looks for no earlier rows.
 *
 * @returns false when a push has a row already: nothing is changed then
 */
async function insertDelivered(
  db: EntityManager,
  settledReportIds: string[],
  outcomes: PushOutcome[],
): Promise<boolean> {
  try {
    await db.query(RECORD_DELIVERED, [settledReportIds, ...DELIVERIES.values(outcomes)]);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === '23505') return false; // unique_violation
    throw error;
  }
}

/**
 * As `recordPushes`, but leaves a report open whose move was lost in a crash or failover. The rescue applies it again,
 * and pushes it under the same ids.
 */
export async function recordPushesChecked(
  db: EntityManager,
  settledReportIds: string[],
  outcomes: PushOutcome[],
): Promise<void> {
  await db.query(RECORD_CHECKED, recordValues(settledReportIds, outcomes));
}

function recordValues(settledReportIds: string[], outcomes: PushOutcome[]): unknown[] {
  const failed = outcomes.filter((outcome) => outcome.failedAttempt);
  return [settledReportIds, ...OUTCOMES.values(outcomes), ...ATTEMPTS.values(failed)];
}

/** True when an earlier report `er` with push `ep`, if any, is still to be pushed. Parked reports do not block. */
const NEEDS_PUSH = `(er.settled_at IS NULL AND er.starts < ${MAX_STARTS} OR ep.status = 'WAITING')`;

/** A push of a report, and an earlier report of the same message. */
export interface PushPredecessor extends PushKey {
  earlierReportId: string;
}

const PREDECESSORS = rowset('given', { report_id: 'uuid', webhook_id: 'uuid', earlier_report_id: 'uuid' });

const LIST_PREDECESSORS = sql`
  SELECT DISTINCT given.report_id AS "reportId", given.webhook_id AS "webhookId"
    FROM ${PREDECESSORS.from}
    JOIN message_event er ON er.id = given.earlier_report_id
    LEFT JOIN push ep ON ep.webhook_id = given.webhook_id AND ep.report_id = given.earlier_report_id
   WHERE ${NEEDS_PUSH}`;

/**
 * Lists the pushes among these that must wait, because an earlier status of their message is still to be pushed to the
 * same webhook.
 */
export function listPushesBehind(db: EntityManager, predecessors: PushPredecessor[]): Promise<PushKey[]> {
  return db.query(LIST_PREDECESSORS, PREDECESSORS.values(predecessors));
}

/** A push claimed for a later attempt. */
export interface ClaimedPush extends AppliedReport {
  webhookId: string;
  attempts: number;
  /** Attempts before its last replay, which restarted its schedule. */
  attemptsBefore: number;
  /**
   * The delay until its next check while an earlier status of its message is still to be pushed; null when it may be
   * called.
   */
  behindMs: number | null;
}

/**
 * The time of the next check of a push of report `r` to webhook `due`, while an earlier report that moved message `m`
 * is still to be pushed: in a second when that earlier push is in flight or has no row yet, else at its next attempt.
 */
const BEHIND_UNTIL = sql`
  SELECT max(GREATEST(
           now() + interval '1 second',
           CASE WHEN ep.error = 'in_flight' OR ep.starts > ep.attempts THEN NULL ELSE ep.next_attempt_at END
         )) AS until
    FROM unnest(m.moved_by[: array_position(m.moved_by, r.id) - 1]) AS earlier(id)
    JOIN message_event er ON er.id = earlier.id
    LEFT JOIN push ep ON ep.webhook_id = due.webhook_id AND ep.report_id = earlier.id
   WHERE cardinality(m.moved_by) > 1
     AND ${NEEDS_PUSH}`;

const ROOMS = rowset('free', { webhook_id: 'uuid', room: 'integer' });

/**
 * Attempts after which a push is given up, so that its counter does not overflow. No schedule has as many, with all of
 * its replays.
 */
const MAX_ATTEMPTS = 30_000;

/**
 * True when a push is given up: its message is gone, its workers died MAX_STARTS times in a row, or its counters are
 * full.
 */
const IS_GIVEN_UP = sql`
  (m.submission_id IS NULL AND i.id IS NULL
   OR p.starts >= p.attempts + ${MAX_STARTS}
   OR p.attempts >= ${MAX_ATTEMPTS})`;

const CLAIM = sql`
  WITH due AS MATERIALIZED (
    SELECT oldest.webhook_id, oldest.report_id
      FROM ${ROOMS.from},
           LATERAL (
             SELECT webhook_id, report_id
               FROM push
              WHERE webhook_id = free.webhook_id
                AND next_attempt_at <= now()
              ORDER BY next_attempt_at
              LIMIT free.room
                FOR UPDATE SKIP LOCKED
           ) AS oldest
  )
  UPDATE push p
     -- an overflow of one row would fail the claims of all endpoints
     SET starts = LEAST(p.starts + 1, p.attempts + $4::integer, 32767),
         status = CASE WHEN ${IS_GIVEN_UP} THEN 'EXHAUSTED' ELSE 'WAITING' END,
         next_attempt_at = CASE WHEN NOT ${IS_GIVEN_UP} THEN now() + make_interval(secs => $3) END,
         error = CASE WHEN ${IS_GIVEN_UP} THEN 'given_up' ELSE p.error END,
         finished_at = CASE WHEN ${IS_GIVEN_UP} THEN now() END
    FROM due
    LEFT JOIN message_event r ON r.id = due.report_id
    ${REPORT_SUBJECT}
    LEFT JOIN LATERAL (
      ${BEHIND_UNTIL}
    ) AS behind ON true
   WHERE p.webhook_id = due.webhook_id
     AND p.report_id = due.report_id
  RETURNING ${APPLIED_REPORT},
            p.status AS "pushStatus", p.webhook_id AS "webhookId", p.attempts, p.attempts_before AS "attemptsBefore",
            (extract(epoch FROM behind.until - now()) * 1000)::integer AS "behindMs"`;

/**
 * Claims pushes that are due, the oldest of each endpoint first. A claim lasts `leaseSeconds`, which must exceed the
 * deadline of a call, so that two workers never make the same call at the same time. A push whose workers died
 * MAX_STARTS times in a row is given up instead, and so is one whose message is gone.
 *
 * @param rooms the maximum number to claim for each endpoint
 * @param maxCounted maximum number of claims without an outcome that count towards giving up
 */
export async function claimPushes(
  db: EntityManager,
  rooms: { webhookId: string; room: number }[],
  leaseSeconds: number,
  maxCounted = MAX_STARTS,
): Promise<ClaimedPush[]> {
  const values = [...ROOMS.values(rooms), leaseSeconds, maxCounted];
  const rows = await returning<AppliedColumns & ClaimedPush & { pushStatus: string }>(db, CLAIM, values);
  return rows.filter((row) => row.pushStatus === 'WAITING').map((row) => ({ ...row, ...toApplied(row) }));
}
