import { sql } from '../core/sql.ts';
import { firstIdAtSql } from './first-id-at.ts';

/** Deleted templates of one statement: each has at most some dozens of versions and events. */
const TEMPLATES = 500;
const WEBHOOKS = 1_000;
const REPLAYS = 10_000;

/**
 * Statements, by table, that count the rows they delete: of things that were deleted, and runs that ended, before
 * `cutoff`. $2 is the maximum number of rows of a table.
 */
export const deletedBefore = (cutoff: string): Record<string, string> => ({
  template: deleteTemplates(cutoff),
  push_replay: deleteIds('push_replay', endedRun(cutoff), REPLAYS),
  message_cancellation: deleteIds('message_cancellation', endedRun(cutoff), REPLAYS),
  // Deleting a webhook deletes its endpoint and its replays. It waits until its pushes were deleted by their age.
  webhook: deleteIds(
    'webhook w',
    sql`
      w.deleted_at < ${cutoff}
      AND NOT EXISTS (SELECT FROM push p WHERE p.webhook_id = w.id)`,
    WEBHOOKS,
  ),
  api_key: deleteIds('api_key', `LEAST(revoked_at, expires_at) < ${cutoff}`, WEBHOOKS),
  verification_config: deleteIds('verification_config', `deleted_at < ${cutoff}`, WEBHOOKS),
  chat_account: deleteIds(
    'chat_account ca',
    sql`
      ca.deleted_at < ${cutoff}
      -- once for all; the CASE reads no template while no chat account is that old
      AND CASE
            WHEN ca.deleted_at < ${cutoff}
            THEN ca.id NOT IN (SELECT chat_account_id FROM template)
          END
      AND NOT EXISTS (SELECT FROM chat_sender cs WHERE cs.chat_account_id = ca.id)`,
    WEBHOOKS,
  ),
});

/** A run that ended before `cutoff` also began before, so only rows with older ids are read: callers may create any number. */
const endedRun = (cutoff: string): string => sql`
  id < ${firstIdAtSql(cutoff)}
  AND finished_at < ${cutoff}`;

/** A statement that deletes the rows of a table whose `key` is the id of a row of `old`. */
export const deleteOld = (table: string, key: string): string => sql`
  DELETE FROM ${table}
   USING old
   WHERE ${key} = old.id`;

const deleteIds = (from: string, condition: string, limit: number): string => sql`
  WITH gone AS (
    DELETE FROM ${from.split(' ')[0]!}
     WHERE id IN (
       SELECT id
         FROM ${from}
        WHERE ${condition}
        LIMIT LEAST($2, ${limit})
     )
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;

/** Ids of templates that waiting messages are rendered from, of the accounts that have deleted ones. */
const namedTemplates = (cutoff: string): string => sql`
  SELECT DISTINCT s.content #>> '{template,id}' AS id
    FROM (SELECT DISTINCT account_id FROM template WHERE deleted_at < ${cutoff}) AS owner
   CROSS JOIN LATERAL (
     SELECT content
       FROM submission
      WHERE account_id = owner.account_id
        AND channel = 'chatapp'
        AND waits
      UNION ALL
     SELECT s.content
       FROM ready_chat q
       JOIN submission s ON s.id = q.id
      WHERE q.account_id = owner.account_id
   ) AS s`;

/** Deleted templates that no waiting message is rendered from. */
const unusedTemplates = (cutoff: string): string => sql`
  SELECT id, account_id
    FROM template
   WHERE deleted_at < ${cutoff}
     AND id::text NOT IN (SELECT id FROM named WHERE id IS NOT NULL)
   ORDER BY id
   LIMIT LEAST($2, ${TEMPLATES})`;

const FILES = `'$[*].example.header_handle[*]'`;

/** Files that other templates of these accounts show. */
const FILES_SHOWN_ELSEWHERE = sql`
  SELECT DISTINCT tv.account_id, h.handle #>> '{}' AS handle
    FROM template t
    JOIN template_version tv ON tv.template_id = t.id
   CROSS JOIN LATERAL jsonb_path_query(tv.components, ${FILES}) AS h(handle)
   WHERE t.account_id = ANY(ARRAY(SELECT account_id FROM shown))
     AND t.id NOT IN (SELECT id FROM old)`;

/** Lets the files expire that were shown by the deleted versions, and that no other template shows. */
const FREE_FILES = sql`
  UPDATE media f
     SET used_at = NULL, expires_at = now()
    FROM shown
   WHERE f.handle = shown.handle
     AND f.account_id = shown.account_id
     AND (f.account_id, f.handle) NOT IN (SELECT account_id, handle FROM shown_elsewhere)`;

/** Reads the waiting messages and the other templates of these accounts once, however many templates it deletes. */
const deleteTemplates = (cutoff: string): string => sql`
  WITH named AS MATERIALIZED (
    ${namedTemplates(cutoff)}
  ), old AS MATERIALIZED (
    ${unusedTemplates(cutoff)}
  ), event_gone AS (
    ${deleteOld('template_event te', 'te.template_id')}
  ), version_gone AS (
    ${deleteOld('template_version tv', 'tv.template_id')}
    RETURNING tv.account_id, tv.components
  ), shown AS (
    SELECT DISTINCT v.account_id, h.handle #>> '{}' AS handle
      FROM version_gone v, jsonb_path_query(v.components, ${FILES}) AS h(handle)
  ), shown_elsewhere AS MATERIALIZED (
    ${FILES_SHOWN_ELSEWHERE}
  ), freed AS (
    ${FREE_FILES}
  ), registration_gone AS (
    ${deleteOld('template_registration tr', 'tr.template_id')}
  ), gone AS (
    ${deleteOld('template t', 't.id')}
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;
