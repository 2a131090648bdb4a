import { SESSION_DAYS } from '@signalbox/domain/session';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { deleteOld, deletedBefore } from './deleted.ts';
import { listMixedPartitions } from './weeks.ts';

/** Maximum number of rows of a table that one pass deletes, so that it holds its locks for a moment only. */
const MAX_BATCH = 10_000;
const MIN_BATCH = 10;

/** Divides the batch after a pass that failed. It grows back by a tenth with each pass, so that few time out again. */
const SHRINK = 4;
const GROWTH = 1.1;

/** The smallest UUIDv7 of an instant, in SQL: smaller ids were made before. */
export const firstIdAtSql = (instant: string): string =>
  sql`
    (
      lpad(
        to_hex((
          extract(epoch FROM ${instant}) * 1000
        )::bigint), 12, '0'
      ) || '70008000000000000000'
    )::uuid`;

/**
 * Deletes the oldest rows that ended more than `days` ago: submissions with their messages and clicks, by the time they
 * were fanned out, so that one that waits for its time stays, and chat pairs that were quiet since; events, pushes,
 * callbacks and inbound messages by the time they came; what was deleted by the time of that. Statistics are kept for
 * 400 days at least, the audit log for 366; quarantines of numbers go by their end, sessions a week after their start.
 * Of tables that are partitioned by week, only rows outside the partition of their week are deleted here.
 *
 * @param batch maximum number of rows of a table
 * @returns the number of rows deleted; 0 when all that is left is younger
 */
export async function deleteOldest(db: EntityManager, days: number, batch = MAX_BATCH): Promise<number> {
  const mixed = await listMixedPartitions(db);
  let count = 0;
  for (const statement of [...mixed.map(({ parent, name }) => DELETE_WEEKLY[parent](name)), ...STATEMENTS]) {
    const [row]: { count: number }[] = await db.query(statement, [days, batch]);
    count += row?.count ?? 0;
  }
  return count;
}

/**
 * Deletes in batches that shrink when a pass fails: on a slow disk a full one exceeds the timeout of a statement each
 * time, and nothing would ever be deleted.
 */
export class Retention {
  private batch = MAX_BATCH;

  constructor(private readonly days: number) {}

  /** Deletes a batch, as `deleteOldest` does. @throws what it throws; the next batch is smaller */
  async deleteSome(db: EntityManager): Promise<number> {
    try {
      const count = await deleteOldest(db, this.days, this.batch);
      this.batch = Math.min(MAX_BATCH, Math.ceil(this.batch * GROWTH));
      return count;
    } catch (error) {
      this.batch = Math.max(MIN_BATCH, Math.floor(this.batch / SHRINK));
      throw error;
    }
  }
}

const CUTOFF = `now() - make_interval(days => $1)`;
const FIRST_KEPT_ID = firstIdAtSql(CUTOFF);

const deleteIn = (table: string, key: string, oldest: string): string => sql`
  WITH gone AS (
    DELETE FROM ${table}
     WHERE (${key}) IN (
       ${oldest}
     )
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;

const oldestById = (table: string, days = '$1'): string => sql`
  SELECT id
    FROM ${table}
   WHERE id < ${firstIdAtSql(`now() - make_interval(days => ${days})`)}
   ORDER BY id
   LIMIT $2`;

/** The key of a push begins with its webhook, so the oldest are read webhook by webhook. */
const oldestPushes = (partition: string): string => sql`
  SELECT oldest.webhook_id, oldest.report_id
    FROM webhook w,
         LATERAL (
           SELECT webhook_id, report_id
             FROM ${partition}
            WHERE webhook_id = w.id
              AND report_id < ${FIRST_KEPT_ID}
            ORDER BY report_id
            LIMIT $2
         ) AS oldest
   LIMIT $2`;

/** Statements for a partition whose rows are of many weeks, by the table. */
const DELETE_WEEKLY = {
  push: (partition: string) => deleteIn('push', 'webhook_id, report_id', oldestPushes(partition)),
  routing_event: (partition: string) => deleteIn('routing_event', 'id', oldestById(partition)),
};

/**
 * CTEs that delete the chat pairs and the user ids of the CTE `party` (account_id, sender, recipient) that were quiet
 * since, in the order of their keys, in which messages from and to the recipients lock them.
 */
const deleteParties = (isUser: string): string => sql`
  pair_gone AS (
    DELETE FROM chat_pair cp
     USING (
       SELECT DISTINCT account_id, sender, recipient
         FROM party
        ORDER BY account_id, sender, recipient
     ) AS pair
     WHERE cp.account_id = pair.account_id
       AND cp.sender = pair.sender
       AND cp.recipient = pair.recipient
       AND cp.paced_until < ${CUTOFF}
       AND COALESCE(cp.last_inbound_at < ${CUTOFF}, true)
  ), user_gone AS (
    DELETE FROM chat_user cu
     USING (
       SELECT DISTINCT cu.account_id, cu.user_id
         FROM party
         JOIN chat_user cu
           ON cu.account_id = party.account_id
          AND (${isUser})
        ORDER BY cu.account_id, cu.user_id
     ) AS known
     WHERE cu.account_id = known.account_id
       AND cu.user_id = known.user_id
       AND cu.seen_at < ${CUTOFF}
  )`;

const DELETE_SUBMISSIONS = sql`
  WITH oldest AS (
    SELECT id, cardinality(recipients) AS messages
      FROM submission
     WHERE id < ${FIRST_KEPT_ID}
       AND fanned_out_at < ${CUTOFF}
     ORDER BY id
     LIMIT $2
  ), old AS MATERIALIZED (
    -- as many submissions as have a batch of messages, the last in full
    SELECT id
      FROM (SELECT id, sum(messages) OVER (ORDER BY id) - messages AS others FROM oldest) AS counted
     WHERE others < $2
     ORDER BY id
  ), message_gone AS (
    DELETE FROM message m
     USING (
       SELECT submission_id, n
         FROM old
         JOIN message ON submission_id = old.id
        ORDER BY submission_id, n -- as late reports lock them
     ) AS each
     WHERE m.submission_id = each.submission_id
       AND m.n = each.n
    RETURNING m.account_id, m.recipient, m.submission_id, m.n
  ), recipient_gone AS (
    DELETE FROM message_recipient mr
     USING message_gone m
     WHERE mr.account_id = m.account_id
       AND mr.recipient = m.recipient
       AND mr.submission_id = m.submission_id
       AND mr.n = m.n
  ), click_gone AS (
    ${deleteOld('short_link_click', 'submission_id')}
  ), total_gone AS (
    ${deleteOld('short_link_total', 'submission_id')}
  ), gone AS (
    ${deleteOld('submission s', 's.id')}
    RETURNING s.channel, s.account_id, s.sender, s.recipients
  ), party AS (
    SELECT account_id, sender, recipients[1] AS recipient
      FROM gone
     WHERE channel = 'chatapp'
  ), ${deleteParties('cu.user_id = party.recipient OR cu.msisdn = party.recipient')}
  SELECT count(*)::integer AS count FROM gone`;

/**
 * A pair of numbers that only the recipient wrote in, and the user id of its writer, go with the last inbound
 * message.
 */
const DELETE_INBOUND = sql`
  WITH gone AS (
    DELETE FROM inbound_message
     WHERE id IN (
       ${oldestById('inbound_message')}
     )
    RETURNING account_id, sender, recipient, user_id
  ), party AS (
    SELECT account_id, recipient AS sender, sender AS recipient, user_id
      FROM gone
  ), ${deleteParties('cu.user_id = party.user_id')}
  SELECT count(*)::integer AS count FROM gone`;

/**
 * The days that statistics of verifications are kept at least, so that a month can be compared with that of the year
 * before.
 */
const STATISTICS_DAYS = 400;

/** The key of a statistic begins with its account, so the oldest are read account by account. */
const deleteStatistics = (table: string, key: string): string =>
  deleteIn(
    table,
    key,
    sql`
      SELECT ${key
        .split(', ')
        .map((column) => `oldest.${column}`)
        .join(', ')}
        FROM account a,
             LATERAL (
               SELECT ${key}
                 FROM ${table}
                WHERE account_id = a.id
                  AND day < current_date - GREATEST($1, ${STATISTICS_DAYS})
                LIMIT $2
             ) AS oldest
       LIMIT $2`,
  );

/** A number that is added again meanwhile stays: the outer condition sees that. */
const DELETE_QUARANTINES = sql`
  WITH gone AS (
    DELETE FROM sender_assignment sa
     USING (
       SELECT msisdn
         FROM sender_assignment
        WHERE quarantined_until < ${CUTOFF}
        ORDER BY quarantined_until
        LIMIT $2
     ) AS old
     WHERE sa.msisdn = old.msisdn
       AND sa.quarantined_until < ${CUTOFF}
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;

/** Days that the audit log is kept at least; the table itself refuses to delete what is younger than 365. */
const AUDIT_DAYS = 366;

const STATEMENTS = [
  deleteIn('push_attempt', 'id', oldestById('push_attempt')),
  deleteIn('message_event', 'id', oldestById('message_event')),
  DELETE_INBOUND,
  DELETE_SUBMISSIONS,
  // read ones are deleted sooner
  deleteIn('callback', 'id', oldestById('callback')),
  ...deletedBefore(CUTOFF),
  deleteStatistics('verification_stat', 'account_id, day, config_id, country'),
  deleteStatistics('verification_latency', 'account_id, day, config_id, country, seconds'),
  DELETE_QUARANTINES,
  deleteIn('audit_event', 'id', oldestById('audit_event', `GREATEST($1, ${AUDIT_DAYS})`)),
  deleteIn('user_session', 'id', oldestById('user_session', `LEAST($1, ${SESSION_DAYS})`)),
];
