import type { Channel } from '@signalbox/domain/channel';
import { ENDINGS } from '@signalbox/domain/ending';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { nextAttemptOf } from '../webhooks/backlog.ts';
import { MAX_CLICKS } from './short-links.ts';

const KEYS = rowset('key', { submission_id: 'uuid', n: 'integer' });

const PARTIES = sql`
  SELECT s.id AS "submissionId", key.n, s.sender, s.recipients[key.n] AS recipient
    FROM ${KEYS.from}
    JOIN submission s ON s.id = key.submission_id AND key.n <= cardinality(s.recipients)`;

/** The numbers between which a message goes. */
export interface MessageParties extends MessageKey {
  sender: string;
  recipient: string;
}

/** Lists the sender and the recipient of those of these messages that exist. */
export function listParties(db: EntityManager, keys: readonly MessageKey[]): Promise<MessageParties[]> {
  return db.query(PARTIES, KEYS.values(keys));
}

/** The state of a message. A message that is not fanned out yet has status PENDING and no times. */
export interface MessageState extends MessageKey {
  recipient: string;
  sender: string;
  channel: Channel;
  kind: string;
  lane: string;
  /** The name of a chat-app template; null for other messages. */
  templateName: string | null;
  credits: number;
  campaign: string | null;
  clientRef: string | null;
  status: MessageStatus;
  /** True for a pending message whose submit went without an answer, so that it may arrive. */
  unconfirmed: boolean;
  gateway: string | null;
  errCode: string | null;
  statusDescription: string | null;
  operatorCircle: string | null;
  starts: number;
  acceptedAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  /** The clicks of people on its short links; null when its text has none. */
  clicks: number | null;
}

/**
 * The clicks of people on the links of a message of `s` and `c`, counted and uncounted ones; null when its text has no
 * links.
 */
const CLICKS = sql`
  CASE WHEN s.content ? 'links' THEN LEAST(
    (SELECT COALESCE(sum(lt.clicks), 0)
       FROM short_link_total lt
      WHERE lt.submission_id = s.id AND lt.n = c.n AND lt.kind = 'person')
    + (SELECT count(*)
         FROM short_link_click lc
        WHERE lc.submission_id = s.id AND lc.n = c.n AND lc.kind = 'person'),
    ${MAX_CLICKS}
  )::integer END`;

/** The status of a message `m` as it is shown; an unconfirmed one is pending. */
export const SHOWN_STATUS = `COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')`;

/** When a message `m` was handed to a gateway. One that ends without a gateway, null or '', has a `sent_at`, too. */
export const HANDED_OVER_AT = `CASE WHEN m.gateway <> '' THEN m.sent_at END`;

/**
 * True for a recipient of `s` who gets no message `m`, because an operator discarded the send: a send that was not even
 * fanned out.
 */
const IS_DISCARDED = sql`
  m.n IS NULL
  AND s.cancelled_at IS NOT NULL
  AND s.fanned_out_at IS NOT NULL`;

/** The status of a message `m` of `s`, or of a recipient who has none. */
export const LISTED_STATUS = sql`
  CASE
    WHEN ${IS_DISCARDED}
    THEN 'FAILED'
    ELSE ${SHOWN_STATUS}
  END`;

/** The errCode of a message `m` of `s`, or of a recipient who has none; null for none. */
export const LISTED_ERR_CODE = sql`
  CASE
    WHEN ${IS_DISCARDED}
    THEN '${ENDINGS.cancelled.errCode}'
    ELSE m.err_code
  END`;

/**
 * Columns of MessageState for the n and recipient of a message `c`, its submission `s`, and its row `m` if it is fanned
 * out.
 */
export const MESSAGE_COLUMNS = sql`
  s.id AS "submissionId", c.n, c.recipient, s.sender, s.channel, s.kind, s.lane,
  CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName",
  COALESCE(m.credits, s.credits_each[c.n], s.credits) AS credits, s.campaign, s.client_ref AS "clientRef",
  ${LISTED_STATUS} AS status,
  m.unconfirmed_at IS NOT NULL AS unconfirmed, NULLIF(m.gateway, '') AS gateway,
  ${LISTED_ERR_CODE} AS "errCode",
  CASE
    WHEN ${IS_DISCARDED}
    THEN '${ENDINGS.cancelled.description}'
    ELSE m.status_description
  END AS "statusDescription",
  m.operator_circle AS "operatorCircle",
  COALESCE(m.starts, 0) AS starts, s.accepted_at AS "acceptedAt",
  ${HANDED_OVER_AT} AS "sentAt", m.delivered_at AS "deliveredAt",
  ${CLICKS} AS clicks`;

/** A message as `GET /v1/messages/{messageId}` shows it. */
export interface MessageRecord extends MessageState {
  sendAt: Date | null;
  expiresAt: Date;
  /**
   * The end of the quiet hours that hold it, or the time at which its recipient may get another message; null for
   * neither.
   */
  heldUntil: Date | null;
  /** The language of a chat-app template; null for other messages. */
  language: string | null;
  /** The category of a chat-app template; null for other messages. */
  category: string | null;
  /** When the recipient of a chat-app message last wrote to its sender. */
  lastInboundAt: Date | null;
  movedBy: string[];
  /** Since when gateways throttle it; null for one that none does. */
  throttledAt: Date | null;
  /** True while an operator pauses its account. */
  isAccountPaused: boolean;
  /** True once a worker has claimed it for the first time; a pause of its account then no longer holds it. */
  isFannedOut: boolean;
  /** True while its send is parked before that, until an operator releases it. */
  isSetAside: boolean;
  /** True when its send or its account has a limit of messages per second. */
  isPaced: boolean;
}

const FIND = sql`
  SELECT ${MESSAGE_COLUMNS},
         s.send_at AS "sendAt", s.expires_at AS "expiresAt",
         COALESCE(
           m.held_until,
           CASE WHEN s.channel = 'chatapp' AND s.fanned_out_at IS NULL THEN s.held_until END
         ) AS "heldUntil",
         CASE WHEN s.kind = 'template' THEN s.content #>> '{template,language}' END AS language,
         CASE WHEN s.kind = 'template' THEN s.content #>> '{template,category}' END AS category,
         cp.last_inbound_at AS "lastInboundAt", COALESCE(m.moved_by, '{}') AS "movedBy",
         m.throttled_at AS "throttledAt",
         COALESCE(a.paused_at IS NOT NULL, false) AS "isAccountPaused",
         m.n IS NOT NULL AS "isFannedOut",
         s.waits AND s.due_at = 'infinity' AS "isSetAside",
         s.rate_per_second IS NOT NULL OR s.channel = 'sms' AND a.sms_per_second IS NOT NULL AS "isPaced"
    FROM submission s
    LEFT JOIN account a ON a.id = s.account_id
   CROSS JOIN LATERAL (SELECT $3::integer AS n, s.recipients[$3::integer] AS recipient) AS c
    LEFT JOIN message m ON m.submission_id = s.id AND m.n = c.n
    LEFT JOIN chat_pair cp
      ON s.channel = 'chatapp'
     AND cp.account_id = s.account_id
     AND cp.sender = s.sender
     AND cp.recipient = c.recipient
   WHERE s.id = $2
     AND s.account_id = $1
     AND c.n <= cardinality(s.recipients)
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)`;

/** Finds one message of an account. A message that was erased, or deleted by retention, is not found. */
export async function findMessage(
  db: EntityManager,
  accountId: string,
  { submissionId, n }: MessageKey,
): Promise<MessageRecord | undefined> {
  const [row]: MessageRecord[] = await db.query(FIND, [accountId, submissionId, n]);
  return row;
}

/** One line of a message's timeline: a report, or a push of one. */
export interface TimelineEvent {
  at: Date;
  event: 'report' | 'push_attempt' | 'push_delivered' | 'push_waiting' | 'push_exhausted';
  status: string | null;
  errCode: string | null;
  description: string | null;
  gatewayCode: string | null;
  /** The gateway that reported; null for a push, and for a report of Signalbox itself. */
  gateway: string | null;
  details: Record<string, unknown> | null;
  webhookId: string | null;
  webhookName: string | null;
  attempts: number | null;
  responseStatus: number | null;
  durationMs: number | null;
  nextAttemptAt: Date | null;
  /** The report that a push is about; null for a report. */
  reportId: string | null;
}

const TIMELINE = sql`
  SELECT r.received_at AS at, 'report' AS event, r.status, r.err_code AS "errCode", r.description,
         r.gateway_code AS "gatewayCode", NULLIF(r.gateway, '') AS gateway, r.details,
         NULL::uuid AS "webhookId", NULL AS "webhookName", NULL::smallint AS attempts,
         NULL::smallint AS "responseStatus", NULL::integer AS "durationMs",
         NULL::timestamptz AS "nextAttemptAt", NULL::uuid AS "reportId"
    FROM message_event r
   WHERE r.id = ANY($2::uuid[])
   UNION ALL
  SELECT d.attempted_at, 'push_attempt', r.status, NULL, d.error, NULL, NULL, NULL, d.webhook_id, w.name, d.attempt,
         d.response_status, d.duration_ms, NULL, d.report_id
    FROM webhook w
    JOIN push_attempt d ON d.webhook_id = w.id AND d.report_id = ANY($2::uuid[])
    JOIN message_event r ON r.id = d.report_id
   WHERE w.account_id = $1
   UNION ALL
  SELECT COALESCE(p.finished_at, p.created_at), 'push_' || lower(p.status), r.status, NULL, p.error, NULL, NULL, NULL,
         p.webhook_id, w.name, p.attempts, p.response_status, p.duration_ms,
         ${nextAttemptOf('p.next_attempt_at')}, p.report_id
    FROM webhook w
    JOIN push p ON p.webhook_id = w.id AND p.report_id = ANY($2::uuid[])
    LEFT JOIN endpoint e ON e.webhook_id = w.id
    JOIN message_event r ON r.id = p.report_id
   WHERE w.account_id = $1
   ORDER BY at`;

/** Lists the reports of a message and their pushes, with each failed attempt, oldest first. */
export function listTimeline(
  db: EntityManager,
  accountId: string,
  reportIds: string[],
): Promise<TimelineEvent[]> {
  return db.query(TIMELINE, [accountId, reportIds]);
}
