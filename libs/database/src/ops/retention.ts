import { MIN_UUID } from '@signalbox/domain/id-time';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { SESSION_DAYS } from '@signalbox/domain/session';
import type { EntityManager } from 'typeorm';
import { identitiesOf } from '../chat/chat-identities.ts';
import { stateOf } from '../core/refused-value.ts';
import { sql } from '../core/sql.ts';
import { deleteOld, deletedBefore } from './deleted.ts';
import { firstIdAtSql } from './first-id-at.ts';
import { listMixedPartitions } from './weeks.ts';

/** Maximum number of rows of a table that one pass deletes, so that it holds its locks for a moment only. */
const MAX_BATCH = 10_000;
const MIN_BATCH = 10;

/** Maximum number of submissions that a pass reads: those that wait for their time, or whose messages are open, stay. */
const EXAMINED = 20_000;

/** Divides the batch after a failure. It grows back by a tenth with each pass, so that few time out again. */
const SHRINK = 4;
const GROWTH = 1.1;

/**
 * Deletes the oldest rows that ended more than `days` ago: submissions with their messages and clicks, by the time they
 * were fanned out, so that one that waits for its time stays, and chat pairs that were quiet since; events, pushes,
 * callbacks and inbound messages by the time they came; what was deleted by the time of that. Statistics are kept for
 * 400 days at least, the audit log and the history of templates for 366; quarantines of numbers go by their end,
 * sessions a week after their start.
 * Of tables that are partitioned by week, only rows outside the partition of their week are deleted here. Examines the
 * oldest EXAMINED submissions; `Retention` continues with the next.
 *
 * @param batch maximum number of rows of a table
 * @returns the number of rows deleted; 0 when all that is left is younger
 */
export async function deleteOldest(db: EntityManager, days: number, batch = MAX_BATCH): Promise<number> {
  let count = 0;
  for (const [table, statement] of await deletions(db)) {
    const deleted = await deleteBy(db, statement, valuesFor(table, days, batch, MIN_UUID));
    count += deleted.count;
  }
  return count;
}

/** The statements by table, or by the partition whose rows are of many weeks. */
async function deletions(db: EntityManager): Promise<Map<string, string>> {
  const mixed = await listMixedPartitions(db);
  return new Map([
    ...mixed.map(({ parent, name }) => [name, DELETE_WEEKLY[parent](name)] as const),
    ...Object.entries(STATEMENTS),
  ]);
}

interface Deleted {
  count: number;
  /** Of submissions: the id after which the next pass continues; null to begin with the oldest. */
  next?: string | null;
}

async function deleteBy(db: EntityManager, statement: string, values: unknown[]): Promise<Deleted> {
  const [row]: Deleted[] = await db.query(statement, values);
  return row ?? { count: 0 };
}

const valuesFor = (table: string, days: number, batch: number, after: string): unknown[] =>
  table === 'submission' ? [days, batch, after] : [days, batch];

/**
 * Deletes in batches. That of a table shrinks when its statement fails: on a slow disk a full one exceeds the timeout of
 * a statement each time, and nothing would ever be deleted. The table then rests, so that it does not delay the others.
 */
export class Retention {
  private readonly batches = new Map<string, number>();
  /** Until when tables rest, by `performance.now()`. */
  private readonly restUntil = new Map<string, number>();
  /** The submission after which the next pass continues, so that those that stay are not read in each pass. */
  private after = MIN_UUID;

  /** @param restMs milliseconds for which a table rests after a failure */
  constructor(
    private readonly days: number,
    private readonly restMs = 60_000,
  ) {}

  /**
   * Deletes a batch of each table, as `deleteOldest` does. Runs in a transaction.
   *
   * @param onFailure called with each table whose statement failed; its next batch is smaller
   */
  async deleteSome(db: EntityManager, onFailure: (table: string, error: unknown) => void): Promise<number> {
    let count = 0;
    for (const [table, statement] of await deletions(db)) {
      if ((this.restUntil.get(table) ?? 0) > performance.now()) continue;
      const batch = this.batches.get(table) ?? MAX_BATCH;
      try {
        const values = valuesFor(table, this.days, batch, this.after);
        const deleted = await db.transaction((nested) => deleteBy(nested, statement, values));
        count += deleted.count;
        if (table === 'submission') this.after = deleted.next ?? MIN_UUID;
        this.batches.set(table, Math.min(MAX_BATCH, Math.ceil(batch * GROWTH)));
      } catch (error) {
        if (stateOf(error) === '') throw error; // without a connection the others fail too
        this.batches.set(table, Math.max(MIN_BATCH, Math.floor(batch / SHRINK)));
        this.restUntil.set(table, performance.now() + this.restMs);
        onFailure(table, error);
      }
    }
    return count;
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

/**
 * The key of a push begins with its webhook, so the oldest are read webhook by webhook. The first condition reads no
 * webhook while the partition is empty, as that of the rows without a week nearly always is.
 */
const oldestPushes = (partition: string): string => sql`
  SELECT oldest.webhook_id, oldest.report_id
    FROM (SELECT id FROM webhook WHERE EXISTS (SELECT FROM ${partition})) AS w,
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

/** The pace of a pair ends minutes after its last message is sent, and a gateway's clock may be ahead. */
const QUIET = `${CUTOFF} + interval '1 hour'`;

/**
 * CTE that deletes the chat pairs of the CTE `party` (account_id, sender, recipient) that were quiet since, in the order
 * of their keys, in which messages from and to the recipients lock them.
 */
const DELETE_PAIRS = sql`
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
       AND cp.paced_until < ${QUIET}
       AND COALESCE(cp.last_inbound_at < ${QUIET}, true)
  )`;

/** A message `m` that may still be sent, that waits for the answer to its submit, or that was sent or failed lately. */
const IS_KEPT = sql`
  (m.status = 'PENDING' AND m.starts < ${MAX_STARTS}
   OR m.unconfirmed_at IS NOT NULL
   OR GREATEST(m.sent_at, m.failed_at) >= ${CUTOFF})`;

/** Submissions that are old enough by their ids, after $3. */
const OLD_IDS = sql`
  FROM submission
 WHERE id > $3::uuid
   AND id < ${FIRST_KEPT_ID}
 ORDER BY id`;

/**
 * $3 the id to begin after. `next` follows the last one that was deleted of a full batch, or the last of EXAMINED.
 */
const DELETE_SUBMISSIONS = sql`
  WITH oldest AS (
    SELECT id, cardinality(recipients) AS messages
      FROM (
        SELECT id, recipients, fanned_out_at, expires_at
        ${OLD_IDS}
         LIMIT ${EXAMINED}
      ) AS submission
     WHERE fanned_out_at < ${CUTOFF}
       -- no NOT EXISTS, which may be planned as a hash of all messages
       AND (
         expires_at < ${CUTOFF}
         OR (
           SELECT true
             FROM message m
            WHERE m.submission_id = submission.id
              AND ${IS_KEPT}
            LIMIT 1
         ) IS NULL
       )
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
  ), discard_gone AS (
    ${deleteOld('discarded_send', 'submission_id')}
  ), gone AS (
    ${deleteOld('submission s', 's.id')}
    RETURNING s.channel, s.account_id, s.sender, s.recipients
  ), party AS (
    SELECT account_id, sender, recipients[1] AS recipient
      FROM gone
     WHERE channel = 'chatapp'
  ), ${DELETE_PAIRS}
  SELECT (SELECT count(*)::integer FROM gone) AS count,
         CASE
           WHEN (SELECT count(*) FROM oldest) = $2 OR (SELECT count(*) FROM old) < (SELECT count(*) FROM oldest)
           THEN (SELECT max(id::text) FROM old)
           ELSE (
             SELECT id::text
             ${OLD_IDS}
             OFFSET ${EXAMINED - 1}
              LIMIT 1
           )
         END AS next`;

/**
 * A pair of numbers that only the recipient wrote in goes with the last inbound message, as do those of the writer's
 * other identities, which the message was counted for.
 */
const DELETE_INBOUND = sql`
  WITH gone AS (
    DELETE FROM inbound_message
     WHERE id IN (
       ${oldestById('inbound_message')}
     )
    RETURNING account_id, sender, recipient, user_id
  ), party AS (
    SELECT gone.account_id, gone.recipient AS sender, identity.recipient
      FROM gone
     CROSS JOIN unnest(ARRAY[gone.sender, gone.user_id]) AS shown (recipient)
     CROSS JOIN LATERAL (
       ${identitiesOf('gone.account_id', 'shown.recipient')}
     ) AS identity
  ), ${DELETE_PAIRS}
  SELECT count(*)::integer AS count FROM gone`;

/** Reads all of a table of 8 MB, and of a larger one that much at random. */
const SAMPLE = `LEAST(100, 100.0 * 8388608 / GREATEST(pg_relation_size('chat_user'), 1))`;

/** `seen_at` is written once a day. */
const UNSEEN = `seen_at < now() - make_interval(days => $1 + 1)`;

/**
 * Chat users that were not seen since, in the order of their keys, in which messages and reports lock them. There is no
 * index on the time: messages and reports, which write it, would then write every index of the table.
 */
const DELETE_CHAT_USERS = sql`
  WITH gone AS (
    DELETE FROM chat_user cu
     USING (
       SELECT account_id, user_id
         FROM (
           SELECT account_id, user_id
             FROM chat_user
                  TABLESAMPLE SYSTEM (${SAMPLE})
            WHERE ${UNSEEN}
            LIMIT $2
         ) AS unseen
        ORDER BY account_id, user_id
     ) AS old
     WHERE cu.account_id = old.account_id
       AND cu.user_id = old.user_id
       AND cu.${UNSEEN}
    RETURNING 1
  )
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

/**
 * Days that the audit log and the history of templates are kept at least; the table of the audit log itself refuses to
 * delete what is younger than 365.
 */
const AUDIT_DAYS = 366;

const STATEMENTS = {
  push_attempt: deleteIn('push_attempt', 'id', oldestById('push_attempt')),
  message_event: deleteIn('message_event', 'id', oldestById('message_event')),
  inbound_message: DELETE_INBOUND,
  submission: DELETE_SUBMISSIONS,
  chat_user: DELETE_CHAT_USERS,
  // read ones are deleted sooner
  callback: deleteIn('callback', 'id', oldestById('callback')),
  ...deletedBefore(CUTOFF),
  verification_stat: deleteStatistics('verification_stat', 'account_id, day, config_id, country'),
  verification_latency: deleteStatistics(
    'verification_latency',
    'account_id, day, config_id, country, seconds',
  ),
  sender_assignment: DELETE_QUARANTINES,
  audit_event: deleteIn('audit_event', 'id', oldestById('audit_event', `GREATEST($1, ${AUDIT_DAYS})`)),
  template_event: deleteIn(
    'template_event',
    'id',
    oldestById('template_event', `GREATEST($1, ${AUDIT_DAYS})`),
  ),
  user_session: deleteIn('user_session', 'id', oldestById('user_session', `LEAST($1, ${SESSION_DAYS})`)),
};
