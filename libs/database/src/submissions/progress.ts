import type { Channel } from '@signalbox/domain/channel';
import { ENDINGS } from '@signalbox/domain/ending';
import type { Lane } from '@signalbox/domain/lane';
import { MAX_STARTS } from '@signalbox/domain/limits';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { guard, sql } from '../core/sql.ts';
import { IS_THROTTLED } from '../messages/throttled.ts';

/**
 * The progress of a submission. Messages that are not fanned out yet count as pending, or as failed once it is
 * cancelled.
 */
export interface SubmissionProgress {
  id: string;
  channel: Channel;
  kind: string;
  /** The name of a chat-app template; null for other messages. */
  templateName: string | null;
  lane: Lane;
  sender: string;
  campaign: string | null;
  clientRef: string | null;
  acceptedAt: Date;
  sendAt: Date | null;
  expiresAt: Date;
  ratePerSecond: number | null;
  cancelledAt: Date | null;
  /** When the first of its held messages may be sent. */
  heldUntil: Date | null;
  /** Its messages, without those that were erased. */
  total: number;
  statuses: Record<MessageStatus, number>;
  /** Pending messages that wait for the end of quiet hours. */
  held: number;
  /** Failed messages that were cancelled. */
  cancelled: number;
}

/** The columns of SubmissionProgress for a submission `s` with its COUNTED_MESSAGES. */
export const PROGRESS_COLUMNS = sql`
  s.id, s.channel, s.kind, s.lane, s.sender,
  CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName",
  s.campaign, s.client_ref AS "clientRef",
  s.accepted_at AS "acceptedAt", s.send_at AS "sendAt", s.expires_at AS "expiresAt",
  s.rate_per_second AS "ratePerSecond", s.cancelled_at AS "cancelledAt",
  rest + m.messages AS total,
  CASE WHEN s.cancelled_at IS NULL THEN m.held ELSE 0 END AS held,
  CASE WHEN s.cancelled_at IS NULL THEN m.held_until END AS "heldUntil",
  m.cancelled + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END AS cancelled,
  json_build_object(
    'PENDING', m.pending + CASE WHEN s.cancelled_at IS NULL THEN rest ELSE -m.waiting END,
    'SENT', m.sent,
    'DELIVERED', m.delivered,
    'READ', m.read,
    'FAILED', m.failed + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END
  ) AS statuses`;

/** True for a message of a cancelled submission that counts as cancelled, although its worker has not ended it yet. */
export const IS_WAITING = sql`
  status = 'PENDING'
  AND (held_until IS NOT NULL OR claimed_until <= now())
  AND starts < ${MAX_STARTS} -- a parked one stays`;

/** Joins the counts of the messages of a submission `s`. */
export const COUNTED_MESSAGES = sql`
  CROSS JOIN LATERAL (SELECT cardinality(s.recipients) - s.fanned_upto AS rest) AS unfanned
  CROSS JOIN LATERAL (
    SELECT count(*)::integer AS messages,
           count(*) FILTER (WHERE status = 'PENDING' OR unconfirmed_at IS NOT NULL)::integer AS pending,
           count(*) FILTER (WHERE status = 'SENT' AND unconfirmed_at IS NULL)::integer AS sent,
           count(*) FILTER (WHERE status = 'DELIVERED')::integer AS delivered,
           count(*) FILTER (WHERE status = 'READ')::integer AS read,
           count(*) FILTER (WHERE status = 'FAILED')::integer AS failed,
           count(*) FILTER (WHERE status = 'FAILED' AND err_code = '${ENDINGS.cancelled.errCode}')::integer AS cancelled,
           count(*) FILTER (
             WHERE ${IS_WAITING}
           )::integer AS waiting,
           count(*) FILTER (WHERE held_until IS NOT NULL)::integer AS held,
           min(held_until) AS held_until
      FROM message
     WHERE submission_id = s.id
  ) AS m`;

const PROGRESS = sql`
  SELECT ${PROGRESS_COLUMNS}
    FROM submission s
   ${COUNTED_MESSAGES}
   WHERE s.id = $2
     AND s.account_id = $1
     AND ($3::text IS NULL OR s.channel = $3)`;

/**
 * Gets the progress of one submission of an account, of one channel or any; undefined when the account has none. Reads
 * its messages, at most 10,000, by their key.
 */
export async function findProgress(
  db: EntityManager,
  accountId: string,
  channel: Channel | null,
  id: string,
): Promise<SubmissionProgress | undefined> {
  const [row]: SubmissionProgress[] = await db.query(PROGRESS, [accountId, id, channel]);
  return row;
}

/** Cancels a submission `s`. */
export const SET_CANCELLED = sql`
  SET cancelled_at = now(),
      waits = s.fanned_out_at IS NULL,
      listed = s.fanned_out_at IS NOT NULL,
      due_at = CASE WHEN s.fanned_out_at IS NULL THEN now() ELSE s.due_at END`;

/** True while a submission `s` has messages to cancel. */
export const IS_CANCELLABLE = sql`
  s.cancelled_at IS NULL
  AND (
    s.fanned_out_at IS NULL
    OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
  )`;

/**
 * Makes the throttled messages of cancelled submissions due, so that a worker ends them now. Skips those that a worker
 * has locked: it waits for locked submissions.
 */
export const MAKE_CANCELLED_DUE = sql`
  UPDATE message m
     SET claimed_until = now(), due_at = now()
    FROM (
      SELECT submission_id, n
        FROM message
       WHERE submission_id = ANY($1::uuid[])
         AND ${guard(IS_THROTTLED)}
       ORDER BY submission_id, n
         FOR UPDATE SKIP LOCKED
    ) AS throttled
   WHERE m.submission_id = throttled.submission_id
     AND m.n = throttled.n`;

const LOCK_SEND = sql`
  SELECT
    FROM submission
   WHERE account_id = $1
     AND id = $2
     FOR NO KEY UPDATE`;

const CANCEL = sql`
  UPDATE submission s
     ${SET_CANCELLED}
   WHERE s.id = $2
     AND s.account_id = $1
     AND ($3::text IS NULL OR s.channel = $3)
     AND ${IS_CANCELLABLE}
  RETURNING s.id`;

/**
 * Cancels the messages of a submission that are not with a gateway yet. They end when a worker next claims them, as a
 * rule immediately. A submission that is cancelled already, or has nothing left to cancel, stays as it is.
 */
export async function cancelSubmission(
  db: EntityManager,
  accountId: string,
  channel: Channel | null,
  id: string,
): Promise<void> {
  await db.transaction(async (transaction) => {
    // first, so that CANCEL sees the messages that a statement is storing which has the lock
    await transaction.query(LOCK_SEND, [accountId, id]);
    const cancelled = await returning(transaction, CANCEL, [accountId, id, channel]);
    if (cancelled.length > 0) await transaction.query(MAKE_CANCELLED_DUE, [[id]]);
  });
}
