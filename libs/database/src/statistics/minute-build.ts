import { firstIdAt } from '@signalbox/domain/id-time';
import { LATENCY_BOUNDS_SECONDS } from '@signalbox/domain/latency';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { HANDED_OVER_AT } from '../messages/messages.ts';

/**
 * The outcomes that are counted: accepted and submitted in the minute of the submission's id, the others in that of the
 * report's id.
 */
export const OUTCOMES = ['accepted', 'submitted', 'delivered', 'read', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const MINUTE_MS = 60_000;

/** Maximum number of messages, and of reports, of a piece. A submission is never divided, and the first may be larger. */
const PIECE_ROWS = 10_000;

/**
 * Maximum number of senders of an account with separate counts in a minute; the others, which send least, count as ''.
 */
const MAX_SENDERS = 100;

/** The columns that identify a count within its time. */
const KEY = 'account_id, channel, gateway, sender, outcome, err_code, latency';

/** The bounds of delivery times, an array literal on three lines. */
const BOUNDS = [0, 10, 20]
  .map((from) => LATENCY_BOUNDS_SECONDS.slice(from, from + 10))
  .map((line) => line.map((seconds) => `${seconds} s`).join(', '))
  .join(',\n');

/** Counts the messages of the submissions of the piece. */
const ACCEPTED = sql`
  SELECT account_id, channel, sender,
         sum(cardinality(recipients)) AS messages,
         sum(CASE
               WHEN credits_each IS NULL THEN credits * cardinality(recipients)
               ELSE (SELECT sum(each) FROM unnest(credits_each) AS each)
             END) AS credits
    FROM submission
   WHERE id >= $2::uuid
     AND id < $3::uuid
   GROUP BY account_id, channel, sender`;

/** The messages of those submissions. */
const FANNED = sql`
  SELECT m.submission_id, m.n, s.account_id, s.channel, s.sender, GREATEST(s.accepted_at, s.send_at) AS due_at,
         m.gateway, m.credits, ${HANDED_OVER_AT} AS sent_at,
         m.failed_at, m.delivered_at, m.moved_by
    FROM submission s
    JOIN message m ON m.submission_id = s.id
   WHERE s.id >= $2::uuid
     AND s.id < $3::uuid
     AND m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid`;

/** Counts these messages by the gateway that they were handed to, '' for none. */
const SUBMITTED = sql`
  SELECT account_id, channel, COALESCE(gateway, '') AS gateway, sender,
         count(*) FILTER (WHERE sent_at IS NOT NULL) AS messages,
         sum(credits) FILTER (WHERE sent_at IS NOT NULL) AS credits,
         count(*) FILTER (WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL) AS settled
    FROM fanned
   GROUP BY account_id, channel, COALESCE(gateway, ''), sender`;

/** Final reports `r` of the piece. */
const IS_FINAL_REPORT = `r.id >= $2::uuid AND r.id < $3::uuid AND r.status IN ('DELIVERED', 'READ', 'FAILED')`;

/** True for a report about a message of the same piece. */
const IS_NEAR = 'r.submission_id >= $2::uuid AND r.submission_id < $3::uuid';

/** True for a Read report that also counts as delivered, because the message has no Delivered report. */
const IS_DELIVERY = sql`
  CASE r.status
    WHEN 'DELIVERED' THEN true
    WHEN 'READ' THEN m.delivered_at = r.reported_at AND NOT EXISTS (
      SELECT
        FROM message_event d
       WHERE d.id = ANY(m.moved_by)
         AND d.status = 'DELIVERED'
    )
    ELSE false
  END`;

/**
 * The reports that moved their messages. Those about messages of the same piece find them among these, which are read
 * in the order of their key; the other messages are looked up.
 */
const MATCHED = sql`
  SELECT r.status, r.err_code, m.account_id, COALESCE(m.gateway, r.gateway) AS gateway, m.credits, m.delivered_at,
         m.channel, m.sender, m.due_at,
         ${IS_DELIVERY} AS is_delivery
    FROM message_event r
    JOIN fanned m ON m.submission_id = r.submission_id AND m.n = r.n
   WHERE ${IS_FINAL_REPORT}
     AND ${IS_NEAR}
     AND r.id = ANY(m.moved_by)
  UNION ALL
  SELECT r.status, r.err_code, m.account_id, COALESCE(m.gateway, r.gateway), m.credits, m.delivered_at,
         s.channel, s.sender, GREATEST(s.accepted_at, s.send_at),
         ${IS_DELIVERY}
    FROM message_event r
   CROSS JOIN LATERAL (
     SELECT account_id, gateway, credits, moved_by, delivered_at
       FROM message
      WHERE submission_id = r.submission_id
        AND n = r.n
     OFFSET 0 -- by the key, whatever the statistics of the planner say
   ) AS m
   CROSS JOIN LATERAL (
     SELECT channel, sender, accepted_at, send_at
       FROM submission
      WHERE id = r.submission_id
     OFFSET 0
   ) AS s
   WHERE ${IS_FINAL_REPORT}
     AND NOT (${IS_NEAR})
     AND r.id = ANY(m.moved_by)`;

/** Counts the reports by status. Only the groups are divided into outcomes, since a report may count for two. */
const MOVED = sql`
  SELECT account_id, channel, gateway, sender, status, is_delivery,
         CASE status WHEN 'FAILED' THEN err_code ELSE '' END AS err_code,
         CASE WHEN is_delivery THEN width_bucket(
           delivered_at - due_at,
           '{${BOUNDS}}'::interval[]
         ) ELSE 0 END AS latency,
         count(*) AS messages, sum(credits) AS credits
    FROM (
      ${MATCHED}
    ) AS matched
   GROUP BY account_id, channel, gateway, sender, status, is_delivery, 7, 8`;

const FOUND = sql`
  SELECT account_id, channel, '' AS gateway, sender, 'accepted' AS outcome, '' AS err_code, 0 AS latency,
         messages, credits
    FROM accepted
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'submitted', '', 0, messages, credits
    FROM submitted
   WHERE messages > 0
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'delivered', '', latency, messages, credits
    FROM moved
   WHERE is_delivery
  UNION ALL
  SELECT account_id, channel, gateway, sender, lower(status), err_code, 0, messages, credits
    FROM moved
   WHERE status <> 'DELIVERED'`;

/** Finds the first id of a table after the piece that begins with $1, among those before $2. */
const nextIn = (id: string, table: string): string => sql`
  (SELECT ${id}
     FROM ${table}
    WHERE ${id} > $1::uuid
      AND ${id} < $2::uuid
    ORDER BY ${id}
   OFFSET ${PIECE_ROWS}
    LIMIT 1)`;

/** Finds the first id after the piece that begins with $1; null when all that is left before $2 is one piece. */
const FIND_NEXT_PIECE = sql`
  SELECT LEAST(
           ${nextIn('id', 'submission')},
           ${nextIn('submission_id', 'message')},
           ${nextIn('id', 'message_event')}
         ) AS "nextId"`;

/** Counts the rows of the minute $1 with ids from $2 and before $3, and adds them to what earlier pieces found. */
const COUNT_PIECE = sql`
  WITH accepted AS MATERIALIZED (
    ${ACCEPTED}
  ), fanned AS MATERIALIZED (
    ${FANNED}
  ), submitted AS MATERIALIZED (
    ${SUBMITTED}
  ), moved AS MATERIALIZED (
    ${MOVED}
  ), found AS (
    ${FOUND}
  ), kept AS (
    INSERT INTO message_stat_found AS stat (
      minute, ${KEY}, messages, credits
    )
    SELECT $1::timestamptz, ${KEY}, sum(messages), sum(credits)
      FROM found
     GROUP BY ${KEY}
     ORDER BY ${KEY}
    ON CONFLICT (minute, ${KEY}) DO UPDATE
       SET messages = stat.messages + excluded.messages,
           credits = stat.credits + excluded.credits
  )
  SELECT (SELECT COALESCE(sum(messages), 0) FROM accepted)
           - (SELECT COALESCE(sum(settled), 0) FROM submitted)
           + (SELECT count(*)
                FROM message_event r
               WHERE ${IS_FINAL_REPORT}
                 AND r.settled_at IS NULL) AS open`;

/** Adds the differences to a table of counts. */
const addTo = (span: string, at: string): string => sql`
  INSERT INTO message_stat_${span} AS stat (
    at, ${KEY}, messages, credits
  )
  SELECT ${at},
         ${KEY}, messages, credits
    FROM difference
   ORDER BY ${KEY}
  ON CONFLICT (at, ${KEY}) DO UPDATE
     SET messages = stat.messages + excluded.messages,
         credits = stat.credits + excluded.credits`;

/** Adds what the pieces of the minute $1 found, less what was counted before, to the statistics. */
const ADD_DIFFERENCES = sql`
  WITH found AS (
    DELETE FROM message_stat_found
     WHERE minute = $1::timestamptz
    RETURNING ${KEY}, messages, credits
  ), sender_rank AS (
    SELECT account_id, sender,
           row_number() OVER (PARTITION BY account_id ORDER BY sum(messages) DESC, sender) AS place
      FROM found
     GROUP BY account_id, sender
  ), difference AS MATERIALIZED (
    SELECT ${KEY},
           sum(messages) AS messages, sum(credits) AS credits
      FROM (
        SELECT f.account_id, f.channel, f.gateway,
               CASE WHEN sr.place <= ${MAX_SENDERS} THEN f.sender ELSE '' END AS sender,
               f.outcome, f.err_code, f.latency, f.messages, f.credits
          FROM found f
          JOIN sender_rank sr ON sr.account_id = f.account_id AND sr.sender = f.sender
        UNION ALL
        SELECT ${KEY}, -messages, -credits
          FROM message_stat_minute
         WHERE at = $1::timestamptz
      ) AS both_sides
     GROUP BY ${KEY}
    HAVING sum(messages) <> 0
        OR sum(credits) <> 0
  ), minute_added AS (
    ${addTo('minute', '$1::timestamptz')}
  ), quarter_added AS (
    ${addTo('quarter', `date_bin('15 minutes', $1::timestamptz, '2000-01-01Z')`)}
  )
  ${addTo('day', `date_trunc('day', $1::timestamptz, 'UTC')`)}`;

/**
 * Reads the rows of the piece in the order of their keys and joins them, where other statements look up a few by key.
 */
const PLAN_SETTINGS = sql`
  SELECT set_config('enable_hashjoin', 'on', true),
         set_config('enable_mergejoin', 'on', true),
         set_config('enable_nestloop', 'off', true),
         set_config('enable_sort', 'off', true),
         set_config('work_mem', '32MB', true),
         set_config('jit', 'off', true)`;

/** The state of a count of a minute. */
export interface MinuteCount {
  /** Messages that no gateway has yet, and reports that are not settled, so far: the counts change with them. */
  open: number;
  /** The id with which the next piece begins; null when there is none. */
  nextId: string | null;
}

/**
 * Counts a piece of a minute, which begins where the last one ended. A count in pieces is exact when the caller stores
 * its state in the same transaction: each piece is then counted once, and a row that is committed behind it is left to
 * the next count.
 *
 * After the last piece, the difference between what was found and what was counted before is added to the statistics of
 * the minute, its quarter of an hour and its day. So a repeat of the whole count adds nothing.
 *
 * @param before the state after the last piece; its `nextId` is null to begin
 */
export async function countPiece(db: EntityManager, minute: Date, before: MinuteCount): Promise<MinuteCount> {
  const [at, first, end] = valuesOf(minute);
  const from = before.nextId ?? first;
  await db.query(PLAN_SETTINGS);
  const [{ nextId }]: [{ nextId: string | null }] = await db.query(FIND_NEXT_PIECE, [from, end]);
  const [{ open }]: [{ open: string }] = await db.query(COUNT_PIECE, [at, from, nextId ?? end]);
  if (nextId === null) await db.query(ADD_DIFFERENCES, [at]);
  return { open: before.open + Number(open), nextId };
}

const FIND_EMPTY = sql`
  SELECT
   WHERE NOT EXISTS (SELECT FROM submission WHERE id >= $2::uuid AND id < $3::uuid)
     AND NOT EXISTS (SELECT FROM message_event WHERE id >= $2::uuid AND id < $3::uuid)
     AND NOT EXISTS (SELECT FROM message_stat_minute WHERE at = $1::timestamptz)`;

/**
 * True for a minute without messages, reports and earlier counts. An idle service has no other minutes, and to count one
 * costs many times as much as this statement.
 */
export async function isEmptyMinute(db: EntityManager, minute: Date): Promise<boolean> {
  const rows: unknown[] = await db.query(FIND_EMPTY, valuesOf(minute));
  return rows.length > 0;
}

function valuesOf(minute: Date): [at: string, first: string, end: string] {
  const from = minute.getTime();
  return [minute.toISOString(), firstIdAt(from), firstIdAt(from + MINUTE_MS)];
}
