import { RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
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
export const MAX_THROTTLES = 30_000;

/**
 * The throttles of a message `m` that gets its start back, and may be in a batch that has not ended. A message with
 * earlier starts gets another attempt: the end of the batch would take it for one that is being submitted.
 */
export const THROTTLES_AFTER_RETURN = sql`
  LEAST(m.throttles + CASE WHEN m.starts > 1 THEN 2 ELSE 1 END, ${MAX_THROTTLES})`;

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

/** When a message that stays pending is tried again, at the latest when it expires. The CASEs look that up for few. */
const TRIED_AGAIN_AT = sql`
  SELECT LEAST(now() + make_interval(secs => submit.retry_after_ms / 1000.0), s.expires_at)
    FROM submission s
   WHERE s.id = m.submission_id`;

/**
 * Moves submitted messages to SENT. A message that a fast report has moved already stays where it is. A throttled or
 * released message gets its start back, because only starts without an outcome count towards parking. $1 is the
 * gateway, $2 to $6 are an array for each column of SUBMITS.
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
         -- a message may be reclaimed and held before the outcome of its first claim is recorded
         held_until = CASE WHEN ${STAYS_PENDING} THEN m.held_until END,
         gateway = $1,
         gateway_message_id = submit.gateway_message_id,
         claimed_until = CASE
                           WHEN ${STAYS_PENDING}
                           THEN (
                             ${TRIED_AGAIN_AT}
                           )
                           ELSE m.claimed_until
                         END,
         -- already null for nearly all, whose time is in claim_batch: then no index changes
         due_at = CASE
                    WHEN m.due_at IS NULL
                         AND (m.held_until IS NULL OR ${STAYS_PENDING})
                    THEN NULL
                    WHEN submit.result = 'resent' AND m.due_at = 'infinity' THEN m.due_at -- parked
                    WHEN ${STAYS_PENDING}
                    THEN (
                      ${TRIED_AGAIN_AT}
                    ) + interval '1 second'
                    ELSE now() + make_interval(secs => ${RESCUE_AFTER_SECONDS})
                  END,
         -- the gateway that is asked for the report at due_at
         asks = CASE
                  WHEN m.due_at IS NULL AND m.held_until IS NULL
                       OR ${STAYS_PENDING}
                  THEN NULL
                  ELSE $1
                END,
         starts = m.starts - CASE WHEN ${RETURNS_START} THEN 1 ELSE 0 END,
         -- also counts releases, because the attempt of a message is its starts plus these
         throttles = CASE submit.result
                       WHEN 'throttled' THEN ${THROTTLES_AFTER_RETURN}
                       WHEN 'released' THEN LEAST(m.throttles + 1, ${MAX_THROTTLES})
                       ELSE m.throttles
                     END
    FROM ${SUBMITS.sorted('submission_id, n')} -- as reports update messages
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
