import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { firstIdAtSql } from './first-id-at.ts';

export type ChangeKind = 'message' | 'delivery' | 'phone' | 'template';

/** A row of an account that was stored lately, or a figure of an account as it is. */
export interface Change {
  accountId: string;
  kind: ChangeKind;
  /** The row, or the figure with its value; unique within its kind. */
  id: string;
  /** The id that the API shows for it: of a send, a message, a webhook or a template; null when it has none. */
  shownId: string | null;
}

/** Maximum number of changes of a kind that are read. */
const LIMIT = 500;

/** Maximum number of claims of messages that are read, and the most sends of each. */
const CLAIMS = 20;
const SENDS_OF_CLAIM = 100;

/** Newest sends whose reports are read for each account, with all accounts together, and the messages of each send. */
const SENDS_OF_ACCOUNT = 50;
const SENDS_OF_ALL = 1_000;
const MESSAGES_OF_SEND = 20;

const SINCE = firstIdAtSql('now() - make_interval(secs => $2)');

/** The rows that each account $1 has stored since then in a table, newest first. */
const newestOfAccount = (table: string): string => sql`
  SELECT id
    FROM ${table}
   WHERE account_id = wanted.account_id
     AND id >= ${SINCE}
   ORDER BY id DESC
   LIMIT ${LIMIT}`;

/** The rows that all accounts have stored since then in a table, newest first. */
const newest = (table: string, columns: string, limit = LIMIT): string => sql`
  SELECT ${columns}
    FROM ${table}
   WHERE id >= ${SINCE}
   ORDER BY id DESC
   LIMIT ${limit}`;

/** Those of the accounts $1 among the newest events of a table. */
const newestEvents = (table: string, kind: ChangeKind, shownId: string): string => sql`
  SELECT event.account_id, '${kind}', event.id::text, event.${shownId}::text
    FROM (
      ${newest(table, `id, account_id, ${shownId}`)}
    ) AS event
   WHERE event.account_id = ANY($1::uuid[])`;

const LIST = sql`
  SELECT account_id AS "accountId", 'message' AS kind, id::text AS id, id::text AS "shownId"
    FROM unnest($1::uuid[]) AS wanted(account_id)
   CROSS JOIN LATERAL (
     ${newestOfAccount('submission')}
   ) AS sent
  UNION ALL
  SELECT account_id, 'message', id::text, id::text
    FROM unnest($1::uuid[]) AS wanted(account_id)
   CROSS JOIN LATERAL (
     ${newestOfAccount('inbound_message')}
   ) AS written
  UNION ALL
  SELECT s.account_id, 'message', r.id::text, r.submission_id || ':' || r.n
    FROM (
      ${newest('message_event', 'id, submission_id, n')}
    ) AS r
    JOIN submission s ON s.id = r.submission_id
   WHERE s.account_id = ANY($1::uuid[])
  UNION
  SELECT s.account_id, 'message', moved.id::text, s.id || ':' || moved.n
    FROM unnest($1::uuid[]) AS wanted(account_id)
   CROSS JOIN LATERAL (
     SELECT id, account_id
       FROM submission
      WHERE account_id = wanted.account_id
      ORDER BY id DESC
      LIMIT least(${SENDS_OF_ACCOUNT}, greatest(1, ${SENDS_OF_ALL} / cardinality($1::uuid[])))
   ) AS s
   CROSS JOIN LATERAL (
     SELECT n, moved_by[cardinality(moved_by)] AS id
       FROM message
      WHERE submission_id = s.id
      ORDER BY n
      LIMIT ${MESSAGES_OF_SEND}
   ) AS moved
   WHERE moved.id >= ${SINCE}
  UNION ALL
  SELECT s.account_id, 'message', claimed.id || ' ' || s.id, s.id::text
    FROM (
      SELECT batch.id, part.submission_id
        FROM (
          ${newest('claim_batch', 'id, submission_ids', CLAIMS)}
        ) AS batch
       CROSS JOIN LATERAL unnest(batch.submission_ids[1:${SENDS_OF_CLAIM}]) AS part(submission_id)
    ) AS claimed
    JOIN submission s ON s.id = claimed.submission_id
   WHERE s.account_id = ANY($1::uuid[])
  UNION ALL
  SELECT account_id, 'message', id || ' ' || examined, NULL
    FROM message_cancellation
   WHERE status = 'RUNNING'
     AND account_id = ANY($1::uuid[])
  UNION ALL
  SELECT w.account_id, 'delivery', pushed.report_id::text, w.id::text
    FROM webhook w
   CROSS JOIN LATERAL (
     SELECT p.report_id
       FROM push p
      WHERE p.webhook_id = w.id
        AND p.report_id >= ${SINCE}
      ORDER BY p.report_id DESC
      LIMIT 20
   ) AS pushed
   WHERE w.account_id = ANY($1::uuid[])
     AND w.deleted_at IS NULL
  UNION ALL
  ${newestEvents('push_attempt', 'delivery', 'webhook_id')}
  UNION ALL
  SELECT w.account_id, 'delivery', concat_ws(' ', w.id, calls.calls, waiting.next_attempt_at), w.id::text
    FROM webhook w
    LEFT JOIN endpoint_hour calls ON calls.webhook_id = w.id AND calls.hour = date_trunc('hour', now())
    LEFT JOIN LATERAL (
      SELECT next_attempt_at
        FROM push
       WHERE webhook_id = w.id
         AND next_attempt_at IS NOT NULL
       ORDER BY next_attempt_at
       LIMIT 1
    ) AS waiting ON true
   WHERE w.account_id = ANY($1::uuid[])
     AND w.deleted_at IS NULL
  UNION ALL
  SELECT account_id, 'delivery', id || ' ' || replayed, webhook_id::text
    FROM push_replay
   WHERE status = 'RUNNING'
     AND account_id = ANY($1::uuid[])
  UNION ALL
  ${newestEvents('template_event', 'template', 'template_id')}
  UNION ALL
  SELECT account_id, 'phone', submission_id::text, submission_id || ':' || n
    FROM (
      SELECT account_id, submission_id, n, row_number() OVER (PARTITION BY account_id ORDER BY received_at DESC) AS place
        FROM phone_message
       WHERE received_at >= now() - make_interval(secs => $2)
         AND account_id = ANY($1::uuid[])
    ) AS shown
   WHERE place <= ${LIMIT}`;

/**
 * Lists what was stored for these accounts within the last seconds: sends and their claims, inbound messages, reports,
 * pushes, events of templates, and messages of simulated phones; of each at most the newest 500. Reports of other
 * accounts can fill these 500, so those of the newest sends of each account are read too. Also lists the calls and the
 * first waiting push of each webhook, and the progress of running replays and cancellations, as they are now.
 */
export function listChanges(
  db: EntityManager,
  accountIds: readonly string[],
  seconds: number,
): Promise<Change[]> {
  return db.query(LIST, [accountIds, seconds]);
}

/** Values that change whenever a page of the operators would show something else. */
export interface Marks {
  lane: string;
  gateway: string;
  route: string;
  endpoint: string;
  orphan: string;
  worker: string;
}

const MARKS = sql`
  SELECT concat_ws(
           ' ',
           (SELECT id FROM submission ORDER BY id DESC LIMIT 1),
           (SELECT id FROM claim_batch ORDER BY id DESC LIMIT 1),
           (SELECT id FROM message_event ORDER BY id DESC LIMIT 1)
         ) AS lane,
         concat_ws(
           ' ',
           (SELECT string_agg(concat_ws(' ', name, version, enabled, paused), ' ' ORDER BY name) FROM gateway),
           (SELECT string_agg(
                     concat_ws(' ', gateway_id, worker_id, status, reason, detail, seen_at), ' '
                     ORDER BY gateway_id, worker_id
                   )
              FROM gateway_state),
           (SELECT string_agg(
                     concat_ws(' ', gateway, accepted, refused, delivered, failed), ' ' ORDER BY gateway
                   )
              FROM gateway_minute
             WHERE minute = date_trunc('minute', now()))
         ) AS gateway,
         (SELECT string_agg(concat_ws(' ', id, version, priority, enabled), ' ' ORDER BY id) FROM route) AS route,
         (SELECT concat_ws(' ', count(*), sum(failures), sum(open_level), max(open_until), max(failing_since))
            FROM endpoint
           WHERE failures > 0 OR open_level > 0) AS endpoint,
         concat_ws(
           ' ',
           (SELECT id FROM orphan_report ORDER BY id DESC LIMIT 1),
           (SELECT next_try_at FROM orphan_report WHERE next_try_at IS NOT NULL ORDER BY next_try_at LIMIT 1)
         ) AS orphan,
         (SELECT string_agg(concat_ws(' ', fleet, workers), ' ' ORDER BY fleet)
            FROM (
              SELECT fleet, count(*) AS workers
                FROM live_worker
               WHERE seen_at > now() - interval '3 seconds'
               GROUP BY fleet
            ) AS live) AS worker`;

/** Reads the marks. Costs the same for any number of messages. */
export async function readMarks(db: EntityManager): Promise<Marks> {
  const [marks]: [Marks] = await db.query(MARKS);
  return marks;
}
