import type { MessageKey } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { guard } from '../core/guard.ts';
import type { Channel } from '../submissions/submissions.ts';

/**
 * What became of a submit. A message that was throttled stays pending and free again after `retryAfterMs`; one that was rejected has
 * its report already, which moves it on.
 */
export interface RecordedSubmit extends MessageKey {
  result: 'sent' | 'rejected' | 'throttled';
  gatewayMessageId: string | null;
  retryAfterMs: number;
}

/** They are counted so far: a message may be throttled for days. */
const MAX_THROTTLES = 30_000;

/** What a gateway answered, from parameter 2 on. */
const ANSWERS = `unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::integer[]) AS o(submission_id, n, result, gateway_message_id, retry_ms)`;

/** A message that a fast report has moved already stays where it is. One that was throttled is none that a worker died with: its start does not count. */
const RECORDED = `
  UPDATE message m
     SET status = CASE o.result WHEN 'throttled' THEN m.status ELSE 'SENT' END,
         sent_at = CASE o.result WHEN 'throttled' THEN NULL ELSE now() END,
         gateway = $1,
         gateway_message_id = o.gateway_message_id,
         claimed_until = CASE o.result WHEN 'throttled' THEN now() + make_interval(secs => o.retry_ms / 1000.0) ELSE m.claimed_until END,
         starts = m.starts - CASE o.result WHEN 'throttled' THEN 1 ELSE 0 END,
         throttles = LEAST(m.throttles + CASE o.result WHEN 'throttled' THEN 1 ELSE 0 END, ${MAX_THROTTLES})
    FROM ${ANSWERS}
   WHERE m.submission_id = o.submission_id AND m.n = o.n AND ${guard("m.status = 'PENDING'")}
   RETURNING m.submission_id, m.n, m.account_id, o.result`;

/**
 * Records what a gateway of SMS answered. Where an account has a webhook that asks for Sent, a report that says so is stored beside the move.
 *
 * @returns the ids of those reports, to be rung for
 */
export function recordSubmits(
  db: EntityManager,
  gateway: string,
  submits: RecordedSubmit[],
): Promise<string[]> {
  return record(
    db,
    gateway,
    submits,
    `WITH recorded AS (${RECORDED})
     INSERT INTO delivery_report (id, gateway, submission_id, n, status, err_code, description, reported_at)
     SELECT uuidv7(), $1, submission_id, n, 'SENT', '000', 'Message sent', now() FROM recorded
      WHERE result = 'sent' AND account_id = ANY (ARRAY(SELECT account_id FROM webhook WHERE intermediate AND disabled_at IS NULL))
     RETURNING id`,
  );
}

/**
 * Records what a gateway of a chat app answered. Where an account has a webhook that asks for `message.sent`, a report of status SUBMITTED
 * is stored beside the move: once for a message, also for one that a fast report has moved already.
 *
 * @returns the ids of those reports, to be rung for
 */
export function recordChatSubmits(
  db: EntityManager,
  gateway: string,
  submits: RecordedSubmit[],
): Promise<string[]> {
  return record(
    db,
    gateway,
    submits,
    `WITH recorded AS (${RECORDED})
     INSERT INTO delivery_report (id, gateway, submission_id, n, status, err_code, description, reported_at)
     SELECT uuidv7(), $1, m.submission_id, m.n, 'SUBMITTED', '000', 'Message sent', now()
       FROM ${ANSWERS} JOIN message m ON m.submission_id = o.submission_id AND m.n = o.n
      WHERE o.result = 'sent' AND m.account_id = ANY (ARRAY(
        SELECT account_id FROM webhook WHERE channel = 'chatapp' AND deleted_at IS NULL AND 'message.sent' = ANY(events)))
     ON CONFLICT (submission_id, n) WHERE status IN ('SUBMITTED', 'RECEIVED') DO NOTHING
     RETURNING id`,
  );
}

async function record(
  db: EntityManager,
  gateway: string,
  submits: RecordedSubmit[],
  statement: string,
): Promise<string[]> {
  if (submits.length === 0) return [];
  const reports: { id: string }[] = await db.query(statement, [
    gateway,
    submits.map((s) => s.submissionId),
    submits.map((s) => s.n),
    submits.map((s) => s.result),
    submits.map((s) => s.gatewayMessageId),
    submits.map((s) => s.retryAfterMs),
  ]);
  return reports.map(({ id }) => id);
}

/** From whom to whom messages go; of those that are known. */
export function listParties(
  db: EntityManager,
  keys: readonly MessageKey[],
): Promise<(MessageKey & { sender: string; recipient: string })[]> {
  return db.query(
    `SELECT s.id AS "submissionId", k.n, s.sender, s.recipients[k.n] AS recipient
       FROM unnest($1::uuid[], $2::integer[]) AS k(id, n) JOIN submission s ON s.id = k.id AND k.n <= cardinality(s.recipients)`,
    [keys.map((key) => key.submissionId), keys.map((key) => key.n)],
  );
}

/** Where a message stands. One that is not fanned out yet has status PENDING and no times. */
export interface MessageState extends MessageKey {
  recipient: string;
  sender: string;
  channel: Channel;
  kind: string;
  lane: string;
  /** Of a chat-app template. */
  templateName: string | null;
  credits: number;
  campaign: string | null;
  clientRef: string | null;
  status: MessageStatus;
  gateway: string | null;
  errCode: string | null;
  statusDescription: string | null;
  operatorCircle: string | null;
  starts: number;
  acceptedAt: Date;
  sentAt: Date | null;
  /** Of people on its short links; null when its text has none. */
  clicks: number | null;
}

/** Clicks of people on the links of a message of `s` and `c`, those not added up yet included; null when its text has no links. */
const CLICKS = `
  CASE WHEN s.content ? 'links' THEN (
    (SELECT COALESCE(sum(t.clicks), 0) FROM short_link_total t WHERE t.submission_id = s.id AND t.n = c.n AND t.kind = 'person')
    + (SELECT count(*) FROM short_link_click k WHERE k.submission_id = s.id AND k.n = c.n AND k.kind = 'person'))::integer END`;

/** Columns of MessageState for a message's number and recipient `c`, its submission `s`, and its row `m` if it is fanned out. */
export const MESSAGE_COLUMNS = `
  s.id AS "submissionId", c.n, c.recipient, s.sender, s.channel, s.kind, s.lane,
  CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName", COALESCE(m.credits, s.credits_each[c.n], s.credits) AS credits, s.campaign,
  s.client_ref AS "clientRef", COALESCE(m.status, 'PENDING') AS status, m.gateway, m.err_code AS "errCode",
  m.status_description AS "statusDescription", m.operator_circle AS "operatorCircle", COALESCE(m.starts, 0) AS starts,
  s.accepted_at AS "acceptedAt", m.sent_at AS "sentAt", ${CLICKS} AS clicks`;

/** A message as `GET /v1/messages/{messageId}` shows it. */
export interface MessageRecord extends MessageState {
  deliveredAt: Date | null;
  sendAt: Date | null;
  expiresAt: Date;
  /** It waits for quiet hours to end, or for its turn at its recipient. */
  heldUntil: Date | null;
  /** Of a chat-app template. */
  language: string | null;
  /** When the recipient of a chat-app message last wrote to its sender. */
  lastInboundAt: Date | null;
  movedBy: string[];
}

/** One message of an account; undefined when there is none, whoever else may have it. */
export async function findMessage(
  db: EntityManager,
  accountId: string,
  { submissionId, n }: MessageKey,
): Promise<MessageRecord | undefined> {
  const [row]: MessageRecord[] = await db.query(
    `SELECT ${MESSAGE_COLUMNS}, m.delivered_at AS "deliveredAt", s.send_at AS "sendAt", s.expires_at AS "expiresAt",
            COALESCE(m.held_until, CASE WHEN s.channel = 'chatapp' AND s.fanned_out_at IS NULL THEN s.held_until END) AS "heldUntil",
            CASE WHEN s.kind = 'template' THEN s.content #>> '{template,language}' END AS language, p.last_inbound_at AS "lastInboundAt", COALESCE(m.moved_by, '{}') AS "movedBy"
       FROM submission s
      CROSS JOIN LATERAL (SELECT $3::integer AS n, s.recipients[$3::integer] AS recipient) AS c
       LEFT JOIN message m ON m.submission_id = s.id AND m.n = c.n
       LEFT JOIN chat_pair p ON s.channel = 'chatapp' AND p.account_id = s.account_id AND p.sender = s.sender AND p.recipient = c.recipient
      WHERE s.id = $2 AND s.account_id = $1 AND c.n <= cardinality(s.recipients)`,
    [accountId, submissionId, n],
  );
  return row;
}

/** One line of a message's timeline, from a report that moved it or a push that told of the move. */
export interface TimelineEvent {
  at: Date;
  event: 'report' | 'push_attempt' | 'push_delivered' | 'push_waiting' | 'push_exhausted';
  status: string | null;
  errCode: string | null;
  description: string | null;
  webhookId: string | null;
  webhookName: string | null;
  attempts: number | null;
  responseStatus: number | null;
  durationMs: number | null;
  nextAttemptAt: Date | null;
  /** Of a push: the report it tells of. */
  reportId: string | null;
}

/** What reports did to a message and how their pushes went, oldest first. */
export function listTimeline(
  db: EntityManager,
  accountId: string,
  reportIds: string[],
): Promise<TimelineEvent[]> {
  return db.query(
    `SELECT r.received_at AS at, 'report' AS event, r.status, r.err_code AS "errCode", r.description, NULL::uuid AS "webhookId",
            NULL AS "webhookName", NULL::smallint AS attempts, NULL::smallint AS "responseStatus", NULL::integer AS "durationMs", NULL::timestamptz AS "nextAttemptAt",
            NULL::uuid AS "reportId"
       FROM delivery_report r WHERE r.id = ANY($2::uuid[])
     UNION ALL
     SELECT a.attempted_at, 'push_attempt', r.status, NULL, a.error, a.webhook_id, w.name, a.attempt, a.response_status, a.duration_ms, NULL, a.report_id
       FROM webhook w JOIN push_attempt a ON a.webhook_id = w.id AND a.report_id = ANY($2::uuid[]) JOIN delivery_report r ON r.id = a.report_id
      WHERE w.account_id = $1
     UNION ALL
     SELECT COALESCE(p.finished_at, p.created_at), 'push_' || lower(p.status), r.status, NULL, p.error, p.webhook_id, w.name, p.attempts,
            p.response_status, p.duration_ms, p.next_attempt_at, p.report_id
       FROM webhook w JOIN push p ON p.webhook_id = w.id AND p.report_id = ANY($2::uuid[]) JOIN delivery_report r ON r.id = p.report_id
      WHERE w.account_id = $1
     ORDER BY at`,
    [accountId, reportIds],
  );
}
