import type { Lane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import { LEGAL_MOVES, type MessageStatus, type ReportedStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { guard } from './guard.ts';

/** What a gateway said about a message. */
export interface NewReport extends MessageKey {
  id: string;
  gateway: string;
  status: ReportedStatus;
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

/** A report that moved its message, with all that a push of it may show. */
export interface AppliedReport extends MessageKey {
  reportId: string;
  accountId: string;
  recipient: string;
  sender: string;
  lane: Lane;
  gateway: string;
  status: ReportedStatus;
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
}

/** Columns of AppliedReport for a report `r`, its message `m` and its submission `s`. */
export const APPLIED_REPORT = `
  r.id AS "reportId", r.submission_id AS "submissionId", r.n, m.account_id AS "accountId", m.recipient, s.sender, s.lane, r.gateway,
  r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle", m.credits,
  s.accepted_at AS "acceptedAt", CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
  (r.status IN ('DELIVERED', 'FAILED') OR r.status = 'READ' AND m.delivered_at = r.reported_at) AS "isFinal",
  CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier`;

/**
 * Moves messages by reports that are not settled yet: at most one report per message, the one that comes first in a message's
 * life. The guard is the table of legal moves, so a late or repeated report moves nothing; but the first report of Sent counts as the
 * move of a message that its submit has moved there already.
 *
 * @returns the reports that moved their message now; what of `ids` is missing moved nothing, or waits for another report
 *   of its message: `listUnmoved` tells which
 */
export async function applyReports(db: EntityManager, ids: string[]): Promise<AppliedReport[]> {
  const [rows] = (await db.query(
    `WITH r AS MATERIALIZED (
       SELECT DISTINCT ON (submission_id, n) *
         FROM delivery_report WHERE id = ANY($1::uuid[]) AND settled_at IS NULL
        ORDER BY submission_id, n, array_position(ARRAY['SENT', 'FAILED', 'DELIVERED', 'READ'], status), id
     )
     UPDATE message m
        SET status = r.status,
            moved_by = m.moved_by || r.id,
            gateway = COALESCE(m.gateway, r.gateway),
            err_code = r.err_code,
            status_description = r.description,
            operator_circle = COALESCE(r.operator_circle, m.operator_circle),
            sent_at = COALESCE(m.sent_at, r.received_at),
            delivered_at = CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) ELSE m.delivered_at END,
            read_at = CASE r.status WHEN 'READ' THEN r.reported_at ELSE m.read_at END,
            failed_at = CASE r.status WHEN 'FAILED' THEN r.reported_at ELSE m.failed_at END
       FROM r JOIN submission s ON s.id = r.submission_id
      WHERE m.submission_id = r.submission_id AND m.n = r.n AND ${guard("m.status || '>' || r.status = ANY($2::text[]) OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL")}
      RETURNING ${APPLIED_REPORT}`,
    [ids, LEGAL_MOVES],
  )) as [AppliedReport[], number];
  return rows;
}

/** A report that did not move its message in this pass; null columns when the message is unknown. */
export interface UnmovedReport extends AppliedReport {
  messageStatus: MessageStatus | null;
  /** It moved the message in an earlier pass, which did not live to tell of it. */
  movedBefore: boolean;
}

/** The unsettled reports among `ids`, with where their messages stand now. */
export function listUnmoved(db: EntityManager, ids: string[]): Promise<UnmovedReport[]> {
  return db.query(
    `SELECT ${APPLIED_REPORT}, m.status AS "messageStatus", COALESCE(r.id = ANY(m.moved_by), false) AS "movedBefore"
       FROM delivery_report r
       LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
       LEFT JOIN submission s ON s.id = r.submission_id
      WHERE r.id = ANY($1::uuid[]) AND r.settled_at IS NULL`,
    [ids],
  );
}
