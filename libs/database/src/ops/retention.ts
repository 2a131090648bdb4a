import type { EntityManager } from 'typeorm';

/** The most rows of a table that one pass deletes, so that it holds its locks for a moment only. */
const BATCH = 10_000;

/** The smallest UUIDv7 of an instant: ids below it were made before. */
export const firstIdAtSql = (instant: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${instant}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;

/**
 * Deletes the oldest of what has ended more than `days` ago: submissions with their messages, clicks, and pairs that were quiet since, by when they were
 * fanned out, so that one that waits for its time stays; reports, pushes and inbound messages by when they came.
 *
 * @returns how many rows went; none when all that is left is younger
 */
export async function deleteOldest(db: EntityManager, days: number): Promise<number> {
  let count = 0;
  for (const statement of STATEMENTS) {
    const [row]: { count: number }[] = await db.query(statement, [days]);
    count += row?.count ?? 0;
  }
  return count;
}

const CUTOFF = `now() - make_interval(days => $1)`;

const deleted = (table: string, key: string, oldest: string): string =>
  `WITH gone AS (
     DELETE FROM ${table} WHERE (${key}) IN (${oldest}) RETURNING 1
   )
   SELECT count(*)::integer AS count FROM gone`;

const oldestById = (table: string): string =>
  `SELECT id FROM ${table} WHERE id < ${firstIdAtSql(CUTOFF)} ORDER BY id LIMIT ${BATCH}`;

/** The key of a push begins with its webhook. */
const OLDEST_PUSHES = `
  SELECT old.webhook_id, old.report_id
    FROM webhook w,
         LATERAL (SELECT webhook_id, report_id FROM push WHERE webhook_id = w.id AND report_id < ${firstIdAtSql(CUTOFF)} ORDER BY report_id LIMIT ${BATCH}) AS old
   LIMIT ${BATCH}`;

const STATEMENTS = [
  deleted('push_attempt', 'id', oldestById('push_attempt')),
  deleted('push', 'webhook_id, report_id', OLDEST_PUSHES),
  deleted('delivery_report', 'id', oldestById('delivery_report')),
  deleted('inbound_message', 'id', oldestById('inbound_message')),
  `WITH oldest AS (
     SELECT id, cardinality(recipients) AS messages FROM submission
      WHERE id < ${firstIdAtSql(CUTOFF)} AND fanned_out_at < ${CUTOFF} ORDER BY id LIMIT ${BATCH}
   ), old AS MATERIALIZED (
     SELECT id FROM (SELECT id, sum(messages) OVER (ORDER BY id) - messages AS others FROM oldest) AS counted WHERE others < ${BATCH}
   ), message_gone AS (
     DELETE FROM message USING old WHERE submission_id = old.id RETURNING account_id, recipient, submission_id, n
   ), recipient_gone AS (
     DELETE FROM message_recipient USING message_gone m
      WHERE message_recipient.account_id = m.account_id AND message_recipient.recipient = m.recipient
        AND message_recipient.submission_id = m.submission_id AND message_recipient.n = m.n
   ), click_gone AS (
     DELETE FROM short_link_click USING old WHERE submission_id = old.id
   ), total_gone AS (
     DELETE FROM short_link_total USING old WHERE submission_id = old.id
   ), gone AS (
     DELETE FROM submission s USING old WHERE s.id = old.id RETURNING s.channel, s.account_id, s.sender, s.recipients
   ), pair_gone AS (
     DELETE FROM chat_pair p USING gone g
      WHERE g.channel = 'chatapp' AND p.account_id = g.account_id AND p.sender = g.sender AND p.recipient = g.recipients[1]
        AND p.paced_until < ${CUTOFF} AND COALESCE(p.last_inbound_at < ${CUTOFF}, true)
   )
   SELECT count(*)::integer AS count FROM gone`,
];
