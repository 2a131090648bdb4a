import { ENDINGS } from '@signalbox/domain/ending';
import type { AnyLane } from '@signalbox/domain/lane';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import type { Channel } from './submissions.ts';

/**
 * The progress of a submission. Messages that are not fanned out yet count as pending, or as failed once it is
 * cancelled.
 */
export interface SubmissionProgress {
  id: string;
  channel: Channel;
  kind: string;
  lane: AnyLane;
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
  total: number;
  statuses: Record<MessageStatus, number>;
  /** Pending messages that wait for the end of quiet hours. */
  held: number;
  /** Failed messages that were cancelled. */
  cancelled: number;
}

const PROGRESS = sql`
  SELECT s.id, s.channel, s.kind, s.lane, s.sender, s.campaign, s.client_ref AS "clientRef",
         s.accepted_at AS "acceptedAt", s.send_at AS "sendAt", s.expires_at AS "expiresAt",
         s.rate_per_second AS "ratePerSecond", s.cancelled_at AS "cancelledAt",
         cardinality(s.recipients) AS total,
         CASE WHEN s.cancelled_at IS NULL THEN m.held ELSE 0 END AS held,
         CASE WHEN s.cancelled_at IS NULL THEN m.held_until END AS "heldUntil",
         m.cancelled + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END AS cancelled,
         json_build_object(
           'PENDING', m.pending + CASE WHEN s.cancelled_at IS NULL THEN rest ELSE -m.waiting END,
           'SENT', m.sent,
           'DELIVERED', m.delivered,
           'READ', m.read,
           'FAILED', m.failed + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END
         ) AS statuses
    FROM submission s
   CROSS JOIN LATERAL (SELECT cardinality(s.recipients) - s.fanned_upto AS rest) AS unfanned
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE status = 'PENDING' OR unconfirmed_at IS NOT NULL)::integer AS pending,
            count(*) FILTER (WHERE status = 'SENT' AND unconfirmed_at IS NULL)::integer AS sent,
            count(*) FILTER (WHERE status = 'DELIVERED')::integer AS delivered,
            count(*) FILTER (WHERE status = 'READ')::integer AS read,
            count(*) FILTER (WHERE status = 'FAILED')::integer AS failed,
            count(*) FILTER (WHERE status = 'FAILED' AND err_code = '${ENDINGS.cancelled.errCode}')::integer AS cancelled,
            -- of a cancelled submission these count as cancelled, although their worker has not ended them yet
            count(*) FILTER (
              WHERE status = 'PENDING' AND (held_until IS NOT NULL OR claimed_until <= now())
            )::integer AS waiting,
            count(*) FILTER (WHERE held_until IS NOT NULL)::integer AS held,
            min(held_until) AS held_until
       FROM message
      WHERE submission_id = s.id
   ) AS m
   WHERE s.id = $2
     AND s.account_id = $1
     AND s.channel = $3`;

/**
 * Gets the progress of one submission of an account and a channel; undefined when the account has none. Reads its
 * messages, at most 10,000, by their key.
 */
export async function findProgress(
  db: EntityManager,
  accountId: string,
  channel: Channel,
  id: string,
): Promise<SubmissionProgress | undefined> {
  const [row]: SubmissionProgress[] = await db.query(PROGRESS, [accountId, id, channel]);
  return row;
}

/**
 * Cancels the messages of a submission that are not with a gateway yet. They end when a worker next claims them, as a
 * rule immediately. A submission that is cancelled already, or has nothing left to cancel, stays as it is.
 */
export async function cancelSubmission(
  db: EntityManager,
  accountId: string,
  channel: Channel,
  id: string,
): Promise<void> {
  await db.query(
    `UPDATE submission s
        SET cancelled_at = now(),
            waits = s.fanned_out_at IS NULL,
            listed = s.fanned_out_at IS NOT NULL,
            due_at = CASE WHEN s.fanned_out_at IS NULL THEN now() ELSE s.due_at END
      WHERE s.id = $2
        AND s.account_id = $1
        AND s.channel = $3
        AND s.cancelled_at IS NULL
        AND (
          s.fanned_out_at IS NULL
          OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
        )`,
    [accountId, id, channel],
  );
}
