import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { firstIdAtSql } from './retention.ts';

export type ChangeKind = 'message' | 'delivery' | 'phone';

/** A row of an account that was stored lately. */
export interface Change {
  accountId: string;
  kind: ChangeKind;
  /** The row, unique within its kind. */
  id: string;
  /** The id that the API shows for it: of a send, a message or a webhook; null when it has none. */
  shownId: string | null;
}

/** The most changes of a kind that are read. */
const LIMIT = 500;

const SINCE = firstIdAtSql('now() - make_interval(secs => $2)');

const LIST = sql`
  SELECT account_id AS "accountId", 'message' AS kind, id, id::text AS "shownId"
    FROM unnest($1::uuid[]) AS wanted(account_id)
   CROSS JOIN LATERAL (
     SELECT s.id
       FROM submission s
      WHERE s.account_id = wanted.account_id
        AND s.id >= ${SINCE}
      ORDER BY s.id DESC
      LIMIT ${LIMIT}
   ) AS sent
  UNION ALL
  SELECT account_id, 'message', id, id::text
    FROM unnest($1::uuid[]) AS wanted(account_id)
   CROSS JOIN LATERAL (
     SELECT i.id
       FROM inbound_message i
      WHERE i.account_id = wanted.account_id
        AND i.id >= ${SINCE}
      ORDER BY i.id DESC
      LIMIT ${LIMIT}
   ) AS written
  UNION ALL
  SELECT s.account_id, 'message', r.id, r.submission_id || ':' || r.n
    FROM (
      SELECT id, submission_id, n
        FROM message_event
       WHERE id >= ${SINCE}
       ORDER BY id DESC
       LIMIT ${LIMIT}
    ) AS r
    JOIN submission s ON s.id = r.submission_id
   WHERE s.account_id = ANY($1::uuid[])
  UNION ALL
  SELECT w.account_id, 'delivery', pushed.report_id, w.id::text
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
  SELECT a.account_id, 'delivery', a.id, a.webhook_id::text
    FROM (
      SELECT id, account_id, webhook_id
        FROM push_attempt
       WHERE id >= ${SINCE}
       ORDER BY id DESC
       LIMIT ${LIMIT}
    ) AS a
   WHERE a.account_id = ANY($1::uuid[])
  UNION ALL
  SELECT p.account_id, 'phone', p.submission_id, p.submission_id || ':' || p.n
    FROM phone_message p
   WHERE p.received_at >= now() - make_interval(secs => $2)
     AND p.account_id = ANY($1::uuid[])`;

/**
 * Lists what was stored for these accounts within the last seconds: sends, inbound messages, reports, pushes, and
 * messages of simulated phones; of each at most the newest 500.
 */
export function listChanges(
  db: EntityManager,
  accountIds: readonly string[],
  seconds: number,
): Promise<Change[]> {
  return db.query(LIST, [accountIds, seconds]);
}
