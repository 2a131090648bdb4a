import { CHANNELS } from '@signalbox/domain/channel';
import { type Lane, SMS_LANES } from '@signalbox/domain/lane';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { steps } from '../core/steps.ts';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { overdueUnlisted } from '../submissions/ready-batches.ts';
import { nextAttemptOf } from '../webhooks/backlog.ts';

/** Waiting sends are counted up to this number for each account and channel; those that are ready up to COUNTED_ROWS. */
const WAITING_LIMIT = 1_000;

/** The waiting sends of an account in a lane. */
export interface LaneBacklog {
  accountId: string;
  accountName: string;
  pausedAt: Date | null;
  lane: Lane;
  /** Sends that may be fanned out now. */
  ready: number;
  /** When the oldest of them was accepted; null without one. */
  oldestReadyAt: Date | null;
  /** Sends that wait for a time, by the reason. */
  scheduled: number;
  paced: number;
  held: number;
  /** When the first of those is due; null without one. */
  nextDueAt: Date | null;
}

/** `name`, the table or CTE, and the condition of each source of waiting sends. */
const SOURCES = [
  ...SMS_LANES.map((lane) => [`sms_${lane.toLowerCase()}`, 'ready_sms', `lane = '${lane}'`] as const),
  ['chat', 'ready_chat', 'true'],
  ['unlisted_accounts', 'unlisted', 'true'],
  ['later', 'submission', 'waits'],
] as const;

/** The accounts with rows in a source. */
const accountsOf = (name: string, table: string, where: string): string =>
  steps(name, { column: 'account_id', table, where, after: '$1::uuid', limit: '$2' });

const LIST = sql`
  WITH RECURSIVE unlisted AS MATERIALIZED (
    ${overdueUnlisted('s.id, s.lane, s.account_id', COUNTED_ROWS)}
  ), ${SOURCES.map(([name, table, where]) => accountsOf(name, table, where)).join(', ')}, busy AS (
    SELECT account_id
      FROM (
        ${SOURCES.map(([name]) => `SELECT account_id FROM ${name}`).join('\nUNION\n')}
      ) AS found
     ORDER BY account_id
     LIMIT $2
  ), ready AS (
    SELECT busy.account_id, part.lane, LEAST(count(*), ${COUNTED_ROWS})::integer AS ready, min(part.id::text)::uuid AS oldest
      FROM busy
     CROSS JOIN LATERAL (
       ${SMS_LANES.map(
         (lane) =>
           sql`
           (SELECT lane, id
              FROM ready_sms
             WHERE lane = '${lane}'
               AND account_id = busy.account_id
             ORDER BY id
             LIMIT ${COUNTED_ROWS})`,
       ).join('\nUNION ALL\n')}
       UNION ALL
       (SELECT lane, id FROM ready_chat WHERE account_id = busy.account_id ORDER BY id LIMIT ${COUNTED_ROWS})
       UNION ALL
       SELECT lane, id FROM unlisted WHERE account_id = busy.account_id
     ) AS part
     GROUP BY busy.account_id, part.lane
  ), waiting AS (
    SELECT busy.account_id, part.lane, min(part.due_at) AS next_due_at,
           count(*) FILTER (WHERE part.why = 'scheduled')::integer AS scheduled,
           count(*) FILTER (WHERE part.why = 'held')::integer AS held,
           count(*) FILTER (WHERE part.why = 'paced')::integer AS paced
      FROM busy
     CROSS JOIN unnest(ARRAY[${CHANNELS.map((channel) => `'${channel}'`).join(', ')}]) AS u(channel)
     CROSS JOIN LATERAL (
       SELECT lane, due_at,
              CASE
                WHEN held_until IS NOT NULL THEN 'held'
                WHEN send_at > now() THEN 'scheduled'
                ELSE 'paced'
              END AS why
         FROM submission
        WHERE channel = u.channel
          AND account_id = busy.account_id
          AND waits
          AND due_at < 'infinity' -- not parked
        ORDER BY channel, account_id, due_at
        LIMIT ${WAITING_LIMIT}
     ) AS part
     GROUP BY busy.account_id, part.lane
  )
  SELECT account_id AS "accountId", a.name AS "accountName", a.paused_at AS "pausedAt", lane,
         COALESCE(ready.ready, 0) AS ready, uuid_extract_timestamp(ready.oldest) AS "oldestReadyAt",
         COALESCE(waiting.scheduled, 0) AS scheduled, COALESCE(waiting.paced, 0) AS paced,
         COALESCE(waiting.held, 0) AS held, waiting.next_due_at AS "nextDueAt"
    FROM ready
    FULL JOIN waiting USING (account_id, lane)
    JOIN account a ON a.id = account_id
   ORDER BY account_id, lane`;

/**
 * Lists the waiting sends of accounts, by account and lane, for at most `accounts` accounts behind `after`. Sends are
 * counted up to 10,000 ready ones, and the 1,000 of each channel that are due first. While no sms-worker runs, at most
 * 10,000 new ones of all accounts are examined.
 */
export function listLaneBacklogs(
  db: EntityManager,
  accounts: number,
  after = MIN_UUID,
): Promise<LaneBacklog[]> {
  return db.query(LIST, [after, accounts]);
}

/** Messages that wait for a final report of their gateway. */
export interface OpenMessages {
  gateway: string;
  /** At most 10,000. */
  messages: number;
  /** When the gateway is asked for the first of them. */
  nextQuestionAt: Date;
}

const LIST_OPEN = sql`
  WITH RECURSIVE gateway AS (
    (SELECT asks
       FROM message
      WHERE asks IS NOT NULL
      ORDER BY asks, due_at
      LIMIT 1)
    UNION ALL
    SELECT next.asks
      FROM gateway
     CROSS JOIN LATERAL (
       SELECT asks
         FROM message
        WHERE asks IS NOT NULL
          AND asks > gateway.asks
        ORDER BY asks, due_at
        LIMIT 1
     ) AS next
  )
  SELECT gateway.asks AS gateway, counted.messages, counted.first AS "nextQuestionAt"
    FROM gateway
   CROSS JOIN LATERAL (
     SELECT count(*)::integer AS messages, min(due_at) AS first
       FROM (
         SELECT due_at
           FROM message
          WHERE asks = gateway.asks
          ORDER BY asks, due_at
          LIMIT ${COUNTED_ROWS}
       ) AS part
   ) AS counted
   ORDER BY gateway.asks`;

/** Lists by gateway the messages that were sent more than 10 s ago, and have no final report. */
export function listOpenMessages(db: EntityManager): Promise<OpenMessages[]> {
  return db.query(LIST_OPEN);
}

/** Pushes that wait for their first or next call. */
export interface WaitingPushes {
  /** At most 10,000. */
  pushes: number;
  /** Pushes among them that no call is made for: their webhook is disabled, or a program pulls them. */
  uncalled: number;
  /** When the first of the others is due, and its breaker allows a call; null without one. */
  nextAttemptAt: Date | null;
}

const COUNT_PUSHES = sql`
  SELECT count(*)::integer AS pushes,
         count(*) FILTER (WHERE w.disabled_at IS NOT NULL)::integer AS uncalled,
         min(${nextAttemptOf('part.next_attempt_at')}) AS "nextAttemptAt"
    FROM (
      SELECT webhook_id, next_attempt_at
        FROM push
       WHERE next_attempt_at IS NOT NULL
       ORDER BY webhook_id, next_attempt_at
       LIMIT ${COUNTED_ROWS}
    ) AS part
    JOIN webhook w ON w.id = part.webhook_id
    LEFT JOIN endpoint e ON e.webhook_id = w.id
   WHERE w.deleted_at IS NULL`;

/** Counts the pushes that wait, of all accounts. */
export async function countWaitingPushes(db: EntityManager): Promise<WaitingPushes> {
  const [row]: [WaitingPushes] = await db.query(COUNT_PUSHES);
  return row;
}
