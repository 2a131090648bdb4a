import type { Channel } from '@signalbox/domain/channel';
import { RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { ON_DISK } from '../core/on-disk.ts';
import { rowset } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';

/**
 * The recorded answer of a gateway. A rejected message moves to SENT; the report of its rejection is stored before and
 * moves it to FAILED. An unconfirmed one moves to SENT and is shown as pending until a report comes. The others stay
 * pending and can be claimed again after `retryAfterMs`. `throttled`: its gateway did not take it. `released`: no
 * gateway was asked. `resent`: its gateway may have it, and its start counts towards parking.
 */
export interface RecordedSubmit extends MessageKey {
  result: 'sent' | 'rejected' | 'unconfirmed' | 'throttled' | 'released' | 'resent';
  gatewayMessageId: string | null;
  retryAfterMs: number;
}

/** Maximum count of throttles: a message may be throttled for days, and the column is a smallint. */
const MAX_THROTTLES = 30_000;

const SUBMITS = rowset(
  'submit',
  {
    submission_id: 'uuid',
    n: 'integer',
    result: 'text',
    gateway_message_id: 'text',
    retry_after_ms: 'integer',
  },
  2,
);

const STAYS_PENDING = "submit.result IN ('throttled', 'released', 'resent')";
const RETURNS_START = "submit.result IN ('throttled', 'released')";

/**
 * Moves submitted messages to SENT. A message that a fast report has moved already stays where it is. A throttled or
 * released message gets its start back, because only starts without an outcome count towards parking.
 */
const MOVE_SUBMITTED = sql`
  UPDATE message m
     SET status = CASE WHEN ${STAYS_PENDING} THEN m.status ELSE 'SENT' END,
         sent_at = CASE WHEN ${STAYS_PENDING} THEN NULL ELSE now() END,
         throttled_at = CASE submit.result
                          WHEN 'throttled' THEN COALESCE(m.throttled_at, now())
                          WHEN 'released' THEN m.throttled_at
                        END,
         unconfirmed_at = CASE submit.result WHEN 'unconfirmed' THEN now() END,
         gateway = $1,
         gateway_message_id = submit.gateway_message_id,
         claimed_until = CASE
                           WHEN ${STAYS_PENDING}
                           THEN now() + make_interval(secs => submit.retry_after_ms / 1000.0)
                           ELSE m.claimed_until
                         END,
         -- already null for nearly all, whose time is in claim_batch: then no index changes
         due_at = CASE
                    WHEN m.due_at IS NULL THEN NULL
                    WHEN submit.result = 'resent' AND m.due_at = 'infinity' THEN m.due_at -- parked
                    WHEN ${STAYS_PENDING}
                    THEN now() + make_interval(secs => submit.retry_after_ms / 1000.0 + 1)
                    ELSE now() + make_interval(secs => ${RESCUE_AFTER_SECONDS})
                  END,
         asks = CASE
                  WHEN m.due_at IS NULL OR ${STAYS_PENDING} THEN NULL
                  ELSE $1
                END,
         starts = m.starts - CASE WHEN ${RETURNS_START} THEN 1 ELSE 0 END,
         throttles = LEAST(m.throttles + CASE WHEN ${RETURNS_START} THEN 1 ELSE 0 END, ${MAX_THROTTLES})
    FROM (
      -- in the order of the key, as reports update messages, so that the two never deadlock
      SELECT *
        FROM ${SUBMITS.from}
       ORDER BY submission_id, n
    ) AS submit
   WHERE m.submission_id = submit.submission_id
     AND m.n = submit.n
     AND ${guard("m.status = 'PENDING'")}
  RETURNING m.submission_id, m.n, m.account_id, submit.result`;

/**
 * Stores a Sent event only for accounts with a webhook that subscribes to Sent, because nearly none has one. Reads the
 * webhooks of the batch's accounts only, so that its cost does not grow with the accounts of the service.
 */
const RECORD_SMS = sql`
  WITH moved AS (
    ${MOVE_SUBMITTED}
  )
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT uuidv7(), $1, submission_id, n, 'SENT', '000', 'Message sent', now()
    FROM moved
   WHERE result = 'sent'
     AND account_id = ANY (ARRAY(
       SELECT w.account_id
         FROM webhook w
        WHERE w.account_id = ANY (ARRAY(SELECT account_id FROM moved))
          AND w.intermediate
          AND w.disabled_at IS NULL
     ))
  RETURNING id, ${ON_DISK}`;

/** Reads the webhooks of the batch's accounts only, as RECORD_SMS does. */
const RECORD_CHAT = sql`
  WITH moved AS (
    ${MOVE_SUBMITTED}
  ), sent AS MATERIALIZED (
    SELECT m.submission_id, m.n, m.account_id
      FROM ${SUBMITS.from}
      JOIN message m ON m.submission_id = submit.submission_id AND m.n = submit.n
     WHERE submit.result = 'sent'
  )
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT uuidv7(), $1, submission_id, n, 'SUBMITTED', '000', 'Message sent', now()
    FROM sent
   WHERE account_id = ANY (ARRAY(
     SELECT w.account_id
       FROM webhook w
      WHERE w.account_id = ANY (ARRAY(SELECT account_id FROM sent))
        AND w.channel = 'chatapp'
        AND w.deleted_at IS NULL
        AND 'message.sent' = ANY(w.events)
   ))
  ON CONFLICT (submission_id, n) WHERE status IN ('SUBMITTED', 'RECEIVED') DO NOTHING
  RETURNING id, ${ON_DISK}`;

/**
 * Records the answers of an SMS gateway. Where an account has a webhook that subscribes to Sent, an event of that
 * status is stored with the move.
 *
 * @returns the ids of those events, to be enqueued
 */
export function recordSubmits(
  db: EntityManager,
  gateway: string | null,
  submits: RecordedSubmit[],
): Promise<string[]> {
  return record(db, gateway, submits, RECORD_SMS);
}

/**
 * Records the answers of a chat-app gateway. Where an account has a webhook that subscribes to `message.sent`, an event
 * of status SUBMITTED is stored with the move: once per message, also for one that a fast report has moved already.
 *
 * @returns the ids of those events, to be enqueued
 */
export function recordChatSubmits(
  db: EntityManager,
  gateway: string | null,
  submits: RecordedSubmit[],
): Promise<string[]> {
  return record(db, gateway, submits, RECORD_CHAT);
}

async function record(
  db: EntityManager,
  gateway: string | null,
  submits: RecordedSubmit[],
  statement: string,
): Promise<string[]> {
  if (submits.length === 0) return [];
  const events: { id: string }[] = await db.query(statement, [gateway, ...SUBMITS.values(submits)]);
  return events.map(({ id }) => id);
}

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
  CASE WHEN s.content ? 'links' THEN (
    (SELECT COALESCE(sum(lt.clicks), 0)
       FROM short_link_total lt
      WHERE lt.submission_id = s.id AND lt.n = c.n AND lt.kind = 'person')
    + (SELECT count(*)
         FROM short_link_click lc
        WHERE lc.submission_id = s.id AND lc.n = c.n AND lc.kind = 'person')
  )::integer END`;

/** The status of a message `m` as it is shown; an unconfirmed one is pending. */
export const SHOWN_STATUS = `COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')`;

/**
 * Columns of MessageState for the n and recipient of a message `c`, its submission `s`, and its row `m` if it is fanned
 * out.
 */
export const MESSAGE_COLUMNS = sql`
  s.id AS "submissionId", c.n, c.recipient, s.sender, s.channel, s.kind, s.lane,
  CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName",
  COALESCE(m.credits, s.credits_each[c.n], s.credits) AS credits, s.campaign, s.client_ref AS "clientRef",
  ${SHOWN_STATUS} AS status,
  m.unconfirmed_at IS NOT NULL AS unconfirmed, m.gateway, m.err_code AS "errCode",
  m.status_description AS "statusDescription", m.operator_circle AS "operatorCircle",
  COALESCE(m.starts, 0) AS starts, s.accepted_at AS "acceptedAt", m.sent_at AS "sentAt",
  m.delivered_at AS "deliveredAt",
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
         EXISTS (
           SELECT
             FROM account a
            WHERE a.id = s.account_id
              AND a.paused_at IS NOT NULL
         ) AS "isAccountPaused"
    FROM submission s
   CROSS JOIN LATERAL (SELECT $3::integer AS n, s.recipients[$3::integer] AS recipient) AS c
    LEFT JOIN message m ON m.submission_id = s.id AND m.n = c.n
    LEFT JOIN chat_pair cp
      ON s.channel = 'chatapp'
     AND cp.account_id = s.account_id
     AND cp.sender = s.sender
     AND cp.recipient = c.recipient
   WHERE s.id = $2
     AND s.account_id = $1
     AND c.n <= cardinality(s.recipients)`;

/** Finds one message of an account. */
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

/** Lists the reports of a message and their pushes, with each failed attempt, oldest first. */
export function listTimeline(
  db: EntityManager,
  accountId: string,
  reportIds: string[],
): Promise<TimelineEvent[]> {
  return db.query(
    `SELECT r.received_at AS at, 'report' AS event, r.status, r.err_code AS "errCode", r.description,
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
            p.webhook_id, w.name, p.attempts, p.response_status, p.duration_ms, p.next_attempt_at, p.report_id
       FROM webhook w
       JOIN push p ON p.webhook_id = w.id AND p.report_id = ANY($2::uuid[])
       JOIN message_event r ON r.id = p.report_id
      WHERE w.account_id = $1
      ORDER BY at`,
    [accountId, reportIds],
  );
}
