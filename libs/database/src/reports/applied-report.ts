import type { ChatFacts, InboundFacts } from '@signalbox/domain/chat/event';
import type { Lane } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { ReportStatus } from '@signalbox/domain/message-status';
import { sql } from '../core/sql.ts';

/** A report that is to be pushed, with all that a push of it may show. */
export interface AppliedReport extends MessageKey {
  reportId: string;
  accountId: string;
  /** The number of the other party, which wrote the message or gets it. */
  recipient: string;
  /** Our number or header. */
  sender: string;
  /** Null for a message that a recipient wrote. */
  lane: Lane | null;
  gateway: string;
  status: ReportStatus;
  errCode: string;
  description: string;
  operatorCircle: string | null;
  credits: number;
  acceptedAt: Date;
  deliveredAt: Date | null;
  /** True for delivered and failed, and for read when no delivered report has moved the message. */
  isFinal: boolean;
  /** Earlier reports that moved the message; null when this is the first. */
  earlier: string[] | null;
  /** Null for an SMS. */
  chat: ChatFacts | null;
}

/** The columns that an AppliedReport is made of: cheaper than an object for `chat` that Postgres makes. */
export interface AppliedColumns extends Omit<AppliedReport, 'chat'> {
  /** When the status of a chat-app message was reported; null for an SMS, and for a message that a recipient wrote. */
  chatAt: Date | null;
  kind: string;
  campaign: string | null;
  clientRef: string | null;
  /** Null for a message without a template. */
  templateName: string | null;
  language: string;
  /** Set for a message that a recipient wrote; absent where there is none. */
  inbound?: (Omit<InboundFacts, 'at'> & { at: string }) | null;
}

/** Makes a report of its columns, and leaves out what else is selected with them. */
export function toApplied(row: AppliedColumns): AppliedReport {
  return {
    reportId: row.reportId,
    submissionId: row.submissionId,
    n: row.n,
    accountId: row.accountId,
    recipient: row.recipient,
    sender: row.sender,
    lane: row.lane,
    gateway: row.gateway,
    status: row.status,
    errCode: row.errCode,
    description: row.description,
    operatorCircle: row.operatorCircle,
    credits: row.credits,
    acceptedAt: row.acceptedAt,
    deliveredAt: row.deliveredAt,
    isFinal: row.isFinal,
    earlier: row.earlier,
    chat: chatOf(row),
  };
}

function chatOf({
  chatAt,
  kind,
  campaign,
  clientRef,
  templateName,
  language,
  inbound,
}: AppliedColumns): ChatFacts | null {
  if (inbound) return { ...inbound, at: new Date(inbound.at) };
  if (!chatAt) return null;
  const template = templateName === null ? null : { name: templateName, language };
  return { at: chatAt, kind, template, campaign, clientRef };
}

/**
 * The facts that an event of a chat-app message of submission `s` shows. The content of another kind of message is not
 * even read.
 */
const CHAT_MESSAGE = sql`
  CASE s.channel WHEN 'chatapp' THEN r.reported_at END AS "chatAt",
  s.kind, s.campaign, s.client_ref AS "clientRef",
  CASE s.kind WHEN 'template' THEN s.content->'template'->>'name' END AS "templateName",
  CASE s.kind WHEN 'template' THEN s.content->'template'->>'language' END AS language`;

/** The facts that an event of a message `i` shows that a recipient wrote. */
const INBOUND_MESSAGE = sql`
  CASE WHEN i.id IS NOT NULL THEN jsonb_build_object(
    'at', r.reported_at,
    'kind', i.kind,
    'content', i.content,
    'chatAccountId', i.chat_account_id,
    'userId', i.user_id,
    'replyTo', i.reply_to_submission_id || ':' || i.reply_to_n
  ) END AS inbound`;

/**
 * Columns of AppliedColumns, without `inbound`, for a report `r`, its message `m` and its submission `s`.
 *
 * @param either combines a column of the message with that of an inbound message, which replaces it when there is no
 * message
 */
export const appliedReport = (either: (message: string, inbound: string) => string): string => sql`
  r.id AS "reportId", r.submission_id AS "submissionId", r.n,
  ${either('m.account_id', 'i.account_id')} AS "accountId",
  ${either('m.recipient', 'i.sender')} AS recipient,
  ${either('s.sender', 'i.recipient')} AS sender,
  s.lane, r.gateway, r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle",
  ${either('m.credits', '0')} AS credits,
  ${either('s.accepted_at', 'i.received_at')} AS "acceptedAt",
  CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
  (r.status IN ('DELIVERED', 'FAILED')
   OR r.status = 'READ'
      AND m.delivered_at = r.reported_at
      -- looked up only when the times are equal, which they also are when a gateway reports both for one second
      AND NOT EXISTS (SELECT FROM message_event e WHERE e.id = ANY(m.moved_by) AND e.status = 'DELIVERED')
  ) AS "isFinal",
  CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier,
  ${CHAT_MESSAGE}`;

/**
 * Joins the subject of a report `r`, as far as it is known: a message `m` of a submission `s`, or an inbound message
 * `i`.
 */
export const REPORT_SUBJECT = sql`
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END`;

/** Columns of AppliedColumns for a report `r` with its REPORT_SUBJECT. */
export const APPLIED_REPORT = sql`
  ${appliedReport((message, inbound) => `COALESCE(${message}, ${inbound})`)},
  ${INBOUND_MESSAGE}`;
