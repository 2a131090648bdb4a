import { firstIdAt } from '@signalbox/domain/id-time';
import { LATENCY_BOUNDS_SECONDS } from '@signalbox/domain/latency';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/**
 * The outcomes that are counted: accepted and submitted in the minute of the submission's id, the others in that of the
 * report's id.
 */
export const OUTCOMES = ['accepted', 'submitted', 'delivered', 'read', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const MINUTE_MS = 60_000;

/** The most senders of an account with separate counts in a minute; the others, which send least, count as ''. */
const MAX_SENDERS = 100;

/** The columns that identify a count within its time. */
const KEY = 'account_id, channel, gateway, sender, outcome, err_code, latency';

const BOUNDS = sql`
  ARRAY[
    ${LATENCY_BOUNDS_SECONDS.slice(0, 14).join(', ')},
    ${LATENCY_BOUNDS_SECONDS.slice(14).join(', ')}
  ]::numeric[]`;

/** The submissions of the minute, with the number of their messages. */
const ACCEPTED = sql`
  SELECT id, account_id, channel, sender, GREATEST(accepted_at, send_at) AS due_at,
         cardinality(recipients) AS messages,
         CASE
           WHEN credits_each IS NULL THEN credits * cardinality(recipients)
           ELSE (SELECT sum(each) FROM unnest(credits_each) AS each)
         END AS credits
    FROM submission
   WHERE id >= $2::uuid
     AND id < $3::uuid`;

/** The messages of those submissions, each once: with the gateway that took it, or still without one. */
const FANNED = sql`
  SELECT a.account_id, a.channel, a.sender, COALESCE(m.gateway, '') AS gateway, m.credits,
         m.sent_at IS NOT NULL AS is_submitted,
         m.sent_at IS NOT NULL OR m.failed_at IS NOT NULL AS is_settled
    FROM message m
    JOIN accepted a ON a.id = m.submission_id
   WHERE m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid`;

const REPORTED = sql`
  SELECT id, gateway, submission_id, n, status, err_code, reported_at, settled_at IS NULL AS is_open,
         submission_id >= $2::uuid AND submission_id < $3::uuid AS is_near
    FROM message_event
   WHERE id >= $2::uuid
     AND id < $3::uuid
     AND status IN ('DELIVERED', 'READ', 'FAILED')`;

/**
 * The reports that moved their messages. Most are about messages of the same minute, which are read once in the order of
 * their key; the others are looked up.
 */
const MATCHED = sql`
  SELECT r.id, r.status, r.err_code, r.reported_at, m.account_id, COALESCE(m.gateway, r.gateway) AS gateway,
         m.credits, m.moved_by, m.delivered_at, a.channel, a.sender, a.due_at
    FROM reported r
    JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
    JOIN accepted a ON a.id = r.submission_id
   WHERE r.is_near
     AND m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid
     AND r.id = ANY(m.moved_by)
  UNION ALL
  SELECT r.id, r.status, r.err_code, r.reported_at, m.account_id, COALESCE(m.gateway, r.gateway),
         m.credits, m.moved_by, m.delivered_at, s.channel, s.sender, GREATEST(s.accepted_at, s.send_at)
    FROM reported r
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
   WHERE NOT r.is_near
     AND r.id = ANY(m.moved_by)`;

/** The outcomes of a report that moved its message. A message that was read without a report of its delivery has both. */
const OUTCOMES_OF_REPORT = sql`
  CASE
    WHEN r.status = 'FAILED' THEN ARRAY['failed']
    WHEN r.status = 'DELIVERED' THEN ARRAY['delivered']
    WHEN r.delivered_at = r.reported_at
     AND NOT EXISTS (
       SELECT
         FROM message_event d
        WHERE d.id = ANY(r.moved_by)
          AND d.status = 'DELIVERED'
     )
    THEN ARRAY['delivered', 'read']
    ELSE ARRAY['read']
  END`;

const MOVED = sql`
  SELECT r.account_id, r.channel, r.gateway, r.sender, o.outcome,
         CASE o.outcome WHEN 'failed' THEN r.err_code ELSE '' END AS err_code,
         CASE o.outcome
           WHEN 'delivered' THEN width_bucket(
             extract(epoch FROM r.delivered_at - r.due_at),
             ${BOUNDS}
           )
           ELSE 0
         END AS latency,
         r.credits
    FROM matched r
   CROSS JOIN LATERAL unnest(${OUTCOMES_OF_REPORT}) AS o(outcome)`;

const FOUND = sql`
  SELECT account_id, channel, '' AS gateway, sender, 'accepted' AS outcome, '' AS err_code, 0 AS latency,
         sum(messages) AS messages, sum(credits) AS credits
    FROM accepted
   GROUP BY account_id, channel, sender
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'submitted', '', 0, count(*), sum(credits)
    FROM fanned
   WHERE is_submitted
   GROUP BY account_id, channel, gateway, sender
  UNION ALL
  SELECT ${KEY}, count(*), sum(credits)
    FROM moved
   GROUP BY ${KEY}`;

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

const BUILD = sql`
  WITH accepted AS MATERIALIZED (
    ${ACCEPTED}
  ), fanned AS MATERIALIZED (
    ${FANNED}
  ), reported AS MATERIALIZED (
    ${REPORTED}
  ), matched AS MATERIALIZED (
    ${MATCHED}
  ), moved AS MATERIALIZED (
    ${MOVED}
  ), found AS MATERIALIZED (
    ${FOUND}
  ), sender_rank AS (
    SELECT account_id, sender,
           row_number() OVER (PARTITION BY account_id ORDER BY sum(messages) DESC, sender) AS place
      FROM found
     GROUP BY account_id, sender
  ), difference AS MATERIALIZED (
    -- between what the tables of messages say now and what was counted before
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
  ), day_added AS (
    ${addTo('day', `date_trunc('day', $1::timestamptz, 'UTC')`)}
  )
  SELECT (SELECT COALESCE(sum(messages), 0) FROM accepted)
           - (SELECT count(*) FROM fanned WHERE is_settled)
           + (SELECT count(*) FROM reported WHERE is_open) AS open,
         COALESCE(b.barrier <= pg_snapshot_xmin(pg_current_snapshot()), false) AS "isWhole"
    FROM (VALUES (1)) AS one
    LEFT JOIN message_stat_build b ON b.minute = $1::timestamptz`;

/** Reads the rows of the minute once and joins them by hash, where other statements look up a few rows by key. */
const PLAN_SETTINGS = sql`
  SELECT set_config('enable_hashjoin', 'on', true),
         set_config('enable_nestloop', 'off', true),
         set_config('work_mem', '32MB', true)`;

/** The state of a minute after it was counted. */
export interface BuiltMinute {
  /** Messages that no gateway has yet, and reports that are not settled: the counts change with them. */
  open: number;
  /** True when every transaction that was running at the barrier of the minute has ended: none can add rows to it. */
  isWhole: boolean;
}

/**
 * Counts the messages of a minute again, and adds the difference to what was counted before to the statistics of the
 * minute, its quarter of an hour and its day. So a repeat adds nothing, and a row that was committed late is counted
 * once. It reads the rows of one minute in the order of their keys.
 */
export async function buildMinute(db: EntityManager, minute: Date): Promise<BuiltMinute> {
  const from = minute.getTime();
  const [row]: { open: string; isWhole: boolean }[] = await db.transaction(async (transaction) => {
    await transaction.query(PLAN_SETTINGS);
    return transaction.query(BUILD, [minute.toISOString(), firstIdAt(from), firstIdAt(from + MINUTE_MS)]);
  });
  return { open: Number(row!.open), isWhole: row!.isWhole };
}
