import type { ChatFacts } from '@signalbox/domain/chat/event';
import type { AnyLane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import {
  type MessageStatus,
  type ReportStatus,
  STATUS_ORDER,
  EVENT_STATUSES,
} from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { guard } from '../core/guard.ts';

/** What a gateway said about a message, or an event that webhooks may be told of; n is 0 for a message that a recipient wrote. */
export interface NewReport extends MessageKey {
  id: string;
  gateway: string;
  status: ReportStatus;
  errCode: string;
  description: string;
  operatorCircle: string | null;
  /** When it happened, by the gateway's clock. */
  reportedAt: Date;
}

/** Stores reports as they came; nothing is judged here, so none is ever dropped. */
export async function insertReports(db: EntityManager, reports: NewReport[]): Promise<void> {
  await db.query(
    `INSERT INTO delivery_report (id, gateway, submission_id, n, status, err_code, description, operator_circle, reported_at)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])`,
    [
      reports.map((r) => r.id),
      reports.map((r) => r.gateway),
      reports.map((r) => r.submissionId),
      reports.map((r) => r.n),
      reports.map((r) => r.status),
      reports.map((r) => r.errCode),
      reports.map((r) => r.description),
      reports.map((r) => r.operatorCircle),
      reports.map((r) => r.reportedAt.toISOString()),
    ],
  );
}

/** A report that is told of, with all that a push of it may show. */
export interface AppliedReport extends MessageKey {
  reportId: string;
  accountId: string;
  /** The other party: also of a message that they wrote. */
  recipient: string;
  /** Our side. */
  sender: string;
  /** Null for a message that a recipient wrote. */
  lane: AnyLane | null;
  gateway: string;
  status: ReportStatus;
  errCode: string;
  description: string;
  operatorCircle: string | null;
  credits: number;
  acceptedAt: Date;
  deliveredAt: Date | null;
  /** Delivered or failed; or read, when no earlier report had said delivered. */
  isFinal: boolean;
  /** Earlier reports that moved the message; null when this is the first. */
  earlier: string[] | null;
  /** Null for an SMS. */
  chat: ChatFacts | null;
}

/** What the event of a chat-app message of submission `s` shows; the content of another one is not even read. */
const CHAT_MESSAGE = `
  CASE WHEN s.channel = 'chatapp' THEN jsonb_build_object('at', r.reported_at, 'kind', s.kind, 'campaign', s.campaign, 'clientRef', s.client_ref,
    'template', CASE s.kind WHEN 'template' THEN jsonb_build_object('name', s.content->'template'->'name', 'language', s.content->'template'->'language') END) END`;

/** What the event of a message `i` shows that a recipient wrote. */
const INBOUND_MESSAGE = `
  CASE WHEN i.id IS NOT NULL THEN jsonb_build_object('at', r.reported_at, 'kind', i.kind, 'content', i.content, 'chatAccountId', i.chat_account_id,
    'replyTo', i.reply_to_submission_id || ':' || i.reply_to_n) END`;

/** Where a status comes in STATUS_ORDER, which is parameter 2. */
const placeOf = (status: string): string => `array_position($2::text[], ${status})`;

/** Columns of AppliedReport for a report `r`, its message `m` and its submission `s`; `or` adds what they are when there is no message. */
const appliedReport = (or: (message: string, inbound: string) => string): string => `
  r.id AS "reportId", r.submission_id AS "submissionId", r.n, ${or('m.account_id', 'i.account_id')} AS "accountId",
  ${or('m.recipient', 'i.sender')} AS recipient, ${or('s.sender', 'i.recipient')} AS sender, s.lane, r.gateway,
  r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle", ${or('m.credits', '0')} AS credits,
  ${or('s.accepted_at', 'i.received_at')} AS "acceptedAt", CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
  (r.status IN ('DELIVERED', 'FAILED') OR r.status = 'READ' AND m.delivered_at = r.reported_at) AS "isFinal",
  CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier, ${or(CHAT_MESSAGE, INBOUND_MESSAGE)} AS chat`;

/** What a report `r` is about, as far as it is known: a message `m` of a submission `s`, or a message `i` that a recipient wrote. */
export const REPORT_SUBJECT = `
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END`;

/** Columns of AppliedReport for a report `r` with its REPORT_SUBJECT. */
export const APPLIED_REPORT = appliedReport((message, inbound) => `COALESCE(${message}, ${inbound})`);

/** How long a status of a chat-app message waits for the one before it: providers call back out of order, but not by much. */
const EARLY_SECONDS = 5;

/** Whether a report of a submission `s` came so lately that the one before it may still come. */
const mayBeEarly = (receivedAt: string): string =>
  `(s.channel = 'chatapp' AND ${receivedAt} > now() - interval '${EARLY_SECONDS} seconds')`;

/** Whether a message `m` would skip Sent, or Delivered, by the reports that end with `r`. */
const WOULD_SKIP = `
  (m.moved_by IS NULL AND COALESCE((r.r3).status, (r.r2).status, (r.r1).status, r.status) IN ('DELIVERED', 'READ')
   OR m.delivered_at IS NULL AND r.status = 'READ' AND (r.r1).status IS DISTINCT FROM 'DELIVERED')`;

/** Whether a message `m` goes as far as `r` now: to the last report, or to the one before Read while that waits for Delivered. */
const IS_END = `(r.next_status IS NULL OR m.delivered_at IS NULL AND ${mayBeEarly('r.next_received_at')})`;

/**
 * Moves messages by reports that are not settled yet, through as many statuses as these tell of, each message in the order of its life:
 * a late or repeated report moves nothing. But the first report of Sent counts as the move of a message that its submit has moved there
 * already. A status of a chat-app message that would skip another waits a moment for that. All of it is one statement, and the outcome is
 * that of one report at a time.
 *
 * @returns the last report of each message that it moved now; of what is missing of `ids`, `listUnmoved` tells which moved their message
 *   before that one, which moved nothing, and of which nothing is known
 */
export async function applyReports(db: EntityManager, ids: string[]): Promise<AppliedReport[]> {
  const [rows] = (await db.query(
    `WITH r AS (
       SELECT *
         FROM (SELECT *, lag(report) OVER life AS r1, lag(report, 2) OVER life AS r2, lag(report, 3) OVER life AS r3, lead(status) OVER life AS next_status, lead(received_at) OVER life AS next_received_at
                 FROM (SELECT DISTINCT ON (submission_id, n, place) *
                         FROM (SELECT d AS report, d.*, ${placeOf('d.status')} AS place FROM delivery_report d WHERE id = ANY($1::uuid[]) AND settled_at IS NULL) AS open
                        WHERE place IS NOT NULL
                        ORDER BY submission_id, n, place, id) AS once
               WINDOW life AS (PARTITION BY submission_id, n)) AS told
        WHERE next_status IS NULL OR next_status = 'READ' AND status <> 'DELIVERED'
     )
     UPDATE message m
        SET status = r.status,
            moved_by = m.moved_by || CASE WHEN r.r1 IS NULL THEN ARRAY[r.id] ELSE ARRAY(
              SELECT b.id FROM unnest(ARRAY[r.r3, r.r2, r.r1, r.report]) AS b WHERE b.id IS NOT NULL AND (m.moved_by IS NULL OR ${placeOf('m.status')} < ${placeOf('b.status')})) END,
            gateway = COALESCE(m.gateway, r.gateway),
            err_code = r.err_code,
            status_description = r.description,
            operator_circle = COALESCE(r.operator_circle, (r.r1).operator_circle, (r.r2).operator_circle, (r.r3).operator_circle, m.operator_circle),
            sent_at = COALESCE(m.sent_at, (r.r3).received_at, (r.r2).received_at, (r.r1).received_at, r.received_at),
            delivered_at = COALESCE(m.delivered_at, CASE WHEN (r.r1).status = 'DELIVERED' THEN (r.r1).reported_at WHEN r.status IN ('DELIVERED', 'READ') THEN r.reported_at END),
            read_at = CASE r.status WHEN 'READ' THEN r.reported_at END,
            failed_at = COALESCE(m.failed_at, CASE WHEN ${placeOf('m.status')} < ${placeOf("'FAILED'")} THEN
              CASE 'FAILED' WHEN r.status THEN r.reported_at WHEN (r.r1).status THEN (r.r1).reported_at WHEN (r.r2).status THEN (r.r2).reported_at END END)
       FROM r JOIN submission s ON s.id = r.submission_id
      WHERE m.submission_id = r.submission_id AND m.n = r.n AND ${guard(`(${placeOf('m.status')} < r.place OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL) AND NOT (${mayBeEarly('r.received_at')} AND ${WOULD_SKIP}) AND ${IS_END}`)}
      RETURNING ${appliedReport((message) => message)}`,
    [ids, STATUS_ORDER],
  )) as [AppliedReport[], number];
  return rows;
}

/** A report that did not move its message in this pass; null columns when what it is about is unknown. */
export interface UnmovedReport extends Omit<AppliedReport, 'accountId'> {
  accountId: string | null;
  /** Null when there is no message, and for one that a recipient wrote. */
  messageStatus: MessageStatus | null;
  /** It is told of all the same: it moved the message in an earlier pass, which did not live to tell of it, or it is one that moves none. */
  needsPush: boolean;
  /** If it can move its message, it waits for the status before it, for so long already; null when it does not. */
  earlyForMs: number | null;
}

/** The unsettled reports among `ids`, with where their messages stand now. */
export function listUnmoved(db: EntityManager, ids: string[]): Promise<UnmovedReport[]> {
  return db.query(
    `SELECT ${APPLIED_REPORT}, m.status AS "messageStatus", (COALESCE(r.id = ANY(m.moved_by), false) OR r.status = ANY($2::text[])) AS "needsPush",
            CASE WHEN ${mayBeEarly('r.received_at')} THEN (extract(epoch FROM now() - r.received_at) * 1000)::integer END AS "earlyForMs"
       FROM delivery_report r ${REPORT_SUBJECT}
      WHERE r.id = ANY($1::uuid[]) AND r.settled_at IS NULL`,
    [ids, EVENT_STATUSES],
  );
}
