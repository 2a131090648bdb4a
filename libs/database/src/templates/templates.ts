import type { Category, TemplateComponent, TemplateContent } from '@signalbox/domain/templates/template';
import { EDITABLE_STATUSES, EDITS_PER_MONTH, type TemplateStatus } from '@signalbox/domain/templates/status';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { Registration } from './registrations.ts';

/** A template with its newest version. */
export interface TemplateRow {
  id: string;
  chatAccountId: number;
  name: string;
  language: string;
  status: TemplateStatus;
  version: number;
  category: Category;
  components: TemplateComponent[];
  allowCategoryChange: boolean;
  codeExpirationMinutes: number | null;
  rejectionReason: string | null;
  editsLeftToday: number;
  editsLeftThisMonth: number;
  createdAt: Date;
  updatedAt: Date;
  /** Null for a template that no provider reviews. */
  registration: Registration | null;
}

/** A new template: under review, with its first version. */
export interface NewTemplate extends TemplateContent {
  id: string;
  chatAccountId: number;
  name: string;
  language: string;
}

/** A filter of a tenant's templates; an undefined field matches all. */
export interface TemplateFilter {
  chatAccountId?: number | undefined;
  status?: TemplateStatus | undefined;
  category?: Category | undefined;
  language?: string | undefined;
  name?: string | undefined;
}

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
/** The edits made this month: none when the last edit was in an earlier month, or there was no edit. */
const MONTH_EDITS = sql`
  CASE
    WHEN date_trunc('month', t.edited_on) = date_trunc('month', ${TODAY})
    THEN t.month_edits
    ELSE 0
  END`;
const EDITS_LEFT = sql`
  ${EDITS_PER_MONTH} - ${MONTH_EDITS}`;

const COLUMNS = sql`
  t.id, t.chat_account_id::float8 AS "chatAccountId", t.name, t.language, t.status, t.version, t.category,
  tv.components, tv.allow_category_change AS "allowCategoryChange",
  tv.code_expiration_minutes AS "codeExpirationMinutes", t.rejection_reason AS "rejectionReason",
  LEAST(
    CASE WHEN t.edited_on = ${TODAY} THEN 0 ELSE 1 END,
    ${EDITS_LEFT}
  ) AS "editsLeftToday",
  ${EDITS_LEFT} AS "editsLeftThisMonth",
  t.created_at AS "createdAt", t.updated_at AS "updatedAt",
  (
    SELECT jsonb_build_object('gateway', r.gateway, 'gatewayTemplateId', r.gateway_template_id, 'status', r.status,
                              'reason', r.reason, 'quality', r.quality, 'comingCategory', r.coming_category,
                              'problem', r.problem)
      FROM template_registration r
     WHERE r.template_id = t.id
  ) AS registration`;

const TEMPLATES = rowset(
  'given',
  {
    id: 'uuid',
    chat_account_id: 'bigint',
    name: 'text',
    language: 'text',
    category: 'text',
    components: 'jsonb',
    allow_category_change: 'boolean',
    code_expiration_minutes: 'smallint',
  },
  2,
);

const INSERT = sql`
  WITH given AS (
    SELECT *
      FROM ${TEMPLATES.from}
  ), stored AS (
    INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version,
                          submitted_at, created_at, updated_at)
    SELECT id, $1, chat_account_id, name, language, 'PENDING', category, 1, $11, $11, $11
      FROM given
     ORDER BY language
    ON CONFLICT (account_id, chat_account_id, name, language) WHERE deleted_at IS NULL DO NOTHING
    RETURNING id
  ), versions AS (
    INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change,
                                  code_expiration_minutes, created_at)
    SELECT id, 1, $1, category, components, allow_category_change, code_expiration_minutes, $11
      FROM given
      JOIN stored USING (id)
  ), events AS (
    INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
    SELECT uuidv7(), id, $1, 1, 'created', $10, $11
      FROM stored
  )
  SELECT language
    FROM given
   WHERE NOT EXISTS (SELECT FROM stored WHERE stored.id = given.id)`;

/**
 * Stores templates with their first versions, all or none.
 *
 * @param actor the maker, for their history
 * @returns the languages that the chat account has already under that name; empty when all are stored
 */
export async function insertTemplates(
  db: EntityManager,
  accountId: string,
  templates: NewTemplate[],
  actor: string,
  at: Date,
): Promise<string[]> {
  const values = [accountId, ...TEMPLATES.values(templates), actor, at];
  const taken: { language: string }[] = await db.query(INSERT, values);
  return taken.map(({ language }) => language);
}

const FIND = sql`
  SELECT ${COLUMNS}
    FROM template t
    JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
   WHERE t.id = $1
     AND t.account_id = $2
     AND t.deleted_at IS NULL`;

/** Finds one template of an account. */
export async function findTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  const [row]: TemplateRow[] = await db.query(FIND, [id, accountId]);
  return row;
}

const LIST = sql`
  SELECT ${COLUMNS}
    FROM template t
    JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
   WHERE t.account_id = $1
     AND t.deleted_at IS NULL
     AND ($2::uuid IS NULL OR t.id < $2)
     AND ($3::bigint IS NULL OR t.chat_account_id = $3)
     AND ($4::text IS NULL OR t.status = $4)
     AND ($5::text IS NULL OR t.category = $5)
     AND ($6::text IS NULL OR t.language = $6)
     AND ($7::text IS NULL OR t.name = $7)
   ORDER BY t.id DESC
   LIMIT $8`;

/** Lists a page of an account's templates, newest first, before the id `before`. */
export function listTemplates(
  db: EntityManager,
  accountId: string,
  { chatAccountId, status, category, language, name }: TemplateFilter,
  limit: number,
  before?: string,
): Promise<TemplateRow[]> {
  const filter = [chatAccountId, status, category, language, name].map((value) => value ?? null);
  return db.query(LIST, [accountId, before ?? null, ...filter, limit]);
}

const EDIT = sql`
  WITH edited AS (
    UPDATE template t
       SET status = 'PENDING',
           version = version + 1,
           category = $5,
           rejection_reason = NULL,
           approved_version = CASE WHEN status = 'PAUSED' THEN NULL ELSE approved_version END,
           edited_on = ${TODAY},
           month_edits = ${MONTH_EDITS} + 1,
           submitted_at = now(),
           starts = 0,
           updated_at = now()
     WHERE id = $1
       AND account_id = $2
       AND deleted_at IS NULL
       AND version = $3
       AND status = ANY($4)
       AND edited_on IS DISTINCT FROM ${TODAY}
       AND ${EDITS_LEFT} > 0
    RETURNING id, version
  ), versions AS (
    INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change,
                                  code_expiration_minutes, created_at)
    SELECT id, version, $2, $5, $6, $7, $8, now()
      FROM edited
  ), events AS (
    INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
    SELECT uuidv7(), id, $2, version, 'edited', $9, now()
      FROM edited
  )
  SELECT id FROM edited`;

/**
 * Gives a template a new version and puts it under review, if it may be edited and has edits left for the day and the
 * month. One statement decides: of concurrent edits, one is made. The approved version is sent until the new one is
 * decided, unless it was paused.
 *
 * @param version the version that the new content is based on
 * @returns false when nothing was changed
 */
export async function editTemplate(
  db: EntityManager,
  accountId: string,
  { id, version }: { id: string; version: number },
  content: TemplateContent,
  actor: string,
): Promise<boolean> {
  const edited: unknown[] = await db.query(EDIT, [
    id,
    accountId,
    version,
    EDITABLE_STATUSES,
    content.category,
    JSON.stringify(content.components),
    content.allowCategoryChange,
    content.codeExpirationMinutes,
    actor,
  ]);
  return edited.length > 0;
}

/** Returns the seconds until a template may be edited again: until the next day, or the next month, of UTC. */
export async function secondsToNextEdit(
  db: EntityManager,
  { editsLeftThisMonth }: TemplateRow,
): Promise<number> {
  const unit = editsLeftThisMonth > 0 ? 'day' : 'month';
  const [row]: { seconds: number }[] = await db.query(
    `SELECT extract(
              epoch FROM date_trunc($1, now() AT TIME ZONE 'UTC') + ('1 ' || $1)::interval - now() AT TIME ZONE 'UTC'
            )::float8 AS seconds`,
    [unit],
  );
  return row!.seconds;
}

/** Writes the events of templates of the account $2 that the actor $3 deletes. @param deleted names their CTE */
export const deletionEvents = (deleted: string): string => sql`
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
  SELECT uuidv7(), id, $2, version, 'deleted', $3, now()
    FROM ${deleted}`;

const DELETE = sql`
  WITH deleted AS (
    UPDATE template
       SET deleted_at = now(), updated_at = now()
     WHERE id = $1
       AND account_id = $2
       AND deleted_at IS NULL
    RETURNING id, version
  ), events AS (
    ${deletionEvents('deleted')}
  )
  SELECT id FROM deleted`;

/**
 * Deletes a template. Its name is free again, and its rows stay for the messages that name them. False when there is
 * none.
 */
export async function deleteTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
  actor: string,
): Promise<boolean> {
  const deleted: unknown[] = await db.query(DELETE, [id, accountId, actor]);
  return deleted.length > 0;
}
