import type { TemplateStatus } from '@signalbox/domain/templates/status';
import type { Category } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** The state of a template at its provider, with the status that it stands for here. */
export interface ProviderTemplate {
  gateway: string;
  gatewayTemplateId: string;
  name: string;
  language: string;
  /** The provider's own status; null when it reported none. */
  providerStatus: string | null;
  /** The status that it stands for here; null when it changes none. */
  status: Exclude<TemplateStatus, 'PENDING'> | null;
  reason: string | null;
  quality: string | null;
  category: Category | null;
  comingCategory: Category | null;
  /** Time of the status; null for one that the provider states now. */
  at: Date | null;
}

/** A state as a statement names it. */
interface Named {
  gateway: string;
  id: string;
  name: string;
  language: string;
}

/** True when a state is that of the template `t`, which is registered as `r` at the gateway of the state. */
const isOf = ({ gateway, id, name, language }: Named): string => sql`
  (r.gateway_template_id = ${id}
   OR r.gateway_template_id IS NULL AND r.attempted_version > 0
      AND t.name = ${name} AND t.language = ${language}
      AND NOT EXISTS (
        SELECT
          FROM template_registration known
         WHERE known.gateway = ${gateway}
           AND known.gateway_template_id = ${id}
      ))`;

const APPLY = sql`
  WITH matched AS (
    SELECT r.template_id, r.status AS old_status, r.quality AS old_quality, t.category AS old_category,
           r.status_at <= $11::timestamptz IS NOT FALSE AS is_current,
           r.version = t.version
             OR r.gateway_template_id IS NULL AND r.attempted_version = t.version AS is_newest
      FROM template_registration r
      JOIN template t ON t.id = r.template_id
     WHERE r.gateway = $1
       AND r.deleted_at IS NULL
       AND ${isOf({ gateway: '$1', id: '$2', name: '$3', language: '$4' })}
     LIMIT 1
       FOR UPDATE OF r
  ), noted AS (
    UPDATE template_registration r
       SET status = CASE WHEN is_current THEN COALESCE($5::text, r.status) ELSE r.status END,
           reason = CASE WHEN is_current AND $5 IS NOT NULL THEN $7 ELSE r.reason END,
           status_at = CASE
             WHEN is_current AND $5 <> COALESCE(r.status, '') THEN COALESCE(date_trunc('second', $11), r.status_at)
             ELSE r.status_at
           END,
           quality = COALESCE($8::text, r.quality),
           -- a comparison states the category of now, and not the one to come
           coming_category = CASE
             WHEN $10::text IS NULL AND ($9::text = r.coming_category OR $9 <> old_category) THEN NULL
             ELSE COALESCE($10, r.coming_category)
           END
      FROM matched
     WHERE r.template_id = matched.template_id
    RETURNING r.template_id
  ), before AS MATERIALIZED (
    SELECT t.id, t.status, t.category
      FROM template t
      JOIN noted ON noted.template_id = t.id
       FOR UPDATE OF t
  ), moved AS (
    UPDATE template t
       SET status = COALESCE($6, t.status),
           category = COALESCE($9, t.category),
           approved_version = CASE
             WHEN $6 IN ('APPROVED', 'PAUSED') THEN t.version
             WHEN $6 = 'REJECTED' THEN NULL
             ELSE t.approved_version
           END,
           rejection_reason = CASE
             WHEN $6 IS NULL THEN t.rejection_reason
             WHEN $6 = 'REJECTED' THEN COALESCE($7, 'Rejected without a reason')
           END,
           updated_at = now()
      FROM matched, before
     WHERE t.id = matched.template_id
       AND before.id = t.id
       AND matched.is_newest
       AND matched.is_current
       AND t.deleted_at IS NULL
       AND (t.status <> $6 OR t.category <> $9)
    RETURNING t.id, t.account_id, t.version, before.status AS old_status, t.status, before.category AS old_category,
              t.category
  ), events AS (
    INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
    SELECT uuidv7(), t.id, t.account_id, t.version, event.name, 'gateway:' || $1, event.reason, now()
      FROM matched
      JOIN template t ON t.id = matched.template_id
      LEFT JOIN moved ON moved.id = t.id
     CROSS JOIN LATERAL (
       SELECT CASE moved.status
                WHEN 'APPROVED' THEN CASE moved.old_status WHEN 'PAUSED' THEN 'resumed' ELSE 'approved' END
                WHEN 'REJECTED' THEN 'rejected'
                WHEN 'PAUSED' THEN 'paused'
              END AS name, $7 AS reason
        WHERE moved.status <> moved.old_status
        UNION ALL
       SELECT 'category_changed', moved.old_category || ' to ' || moved.category
        WHERE moved.category <> moved.old_category
        UNION ALL
       SELECT 'quality_changed', $8
        WHERE $8 IS DISTINCT FROM matched.old_quality AND $8::text IS NOT NULL
        UNION ALL
       SELECT 'flagged', $7
        WHERE $5 = 'FLAGGED' AND matched.is_current AND matched.old_status IS DISTINCT FROM 'FLAGGED'
     ) AS event
  )
  SELECT template_id AS "templateId" FROM noted`;

/**
 * Stores the state of a template at its provider, and moves the template if the state is of its newest version. A
 * status that is older than the last one, or than the last request, is skipped: it arrived late. Before the template's
 * id at the provider is known, it is found by name and language.
 *
 * @returns false when the gateway has no such template
 */
export async function applyProviderTemplate(db: EntityManager, state: ProviderTemplate): Promise<boolean> {
  const rows: unknown[] = await db.query(APPLY, [
    state.gateway,
    state.gatewayTemplateId,
    state.name,
    state.language,
    state.providerStatus,
    state.status,
    state.reason,
    state.quality,
    state.category,
    state.comingCategory,
    state.at,
  ]);
  return rows.length > 0;
}

/**
 * Returns the time of the states in a list that begins now: a second ago by the clock that the requests are recorded by,
 * so that none of the same second is older.
 */
export async function timeOfList(db: EntityManager): Promise<Date> {
  const [row]: { at: Date }[] = await db.query(`SELECT now() - interval '1 second' AS at`);
  return row!.at;
}

const LISTED = rowset('given', {
  place: ['integer', (_: ProviderTemplate, place) => place],
  gateway: 'text',
  gateway_template_id: 'text',
  provider_status: 'text',
  reason: 'text',
  quality: 'text',
  category: 'text',
});

/** States of templates whose id is not known here are found by name, which only a lost answer makes necessary. */
const CHANGED = sql`
  SELECT given.place
    FROM ${LISTED.from}
    LEFT JOIN template_registration r
      ON r.gateway = given.gateway
     AND r.gateway_template_id = given.gateway_template_id
     AND r.deleted_at IS NULL
    LEFT JOIN template t ON t.id = r.template_id
   WHERE CASE
           WHEN r.template_id IS NOT NULL THEN
             given.provider_status IS DISTINCT FROM r.status
             OR given.reason IS DISTINCT FROM r.reason
             OR given.quality <> COALESCE(r.quality, '')
             OR given.category <> t.category
             OR given.category = r.coming_category
           ELSE EXISTS (
             SELECT
               FROM template_registration unknown
              WHERE unknown.gateway = given.gateway
                AND unknown.gateway_template_id IS NULL
                AND unknown.attempted_version > 0
                AND unknown.deleted_at IS NULL
           )
         END
   ORDER BY given.place`;

/** Stores those of listed states that differ from the stored ones, as \`applyProviderTemplate\` does. */
export async function applyListedTemplates(db: EntityManager, states: ProviderTemplate[]): Promise<void> {
  if (states.length === 0) return;
  const changed: { place: number }[] = await db.query(CHANGED, LISTED.values(states));
  for (const { place } of changed) await applyProviderTemplate(db, states[place]!);
}

const STATES = rowset('given', {
  place: ['integer', (_: ProviderTemplate, place) => place],
  gateway: 'text',
  gateway_template_id: 'text',
  name: 'text',
  language: 'text',
});

const GIVEN = {
  gateway: 'given.gateway',
  id: 'given.gateway_template_id',
  name: 'given.name',
  language: 'given.language',
};

const ORDER = sql`
  SELECT given.place
    FROM ${STATES.from}
    LEFT JOIN LATERAL (
      SELECT r.template_id
        FROM template_registration r
        JOIN template t ON t.id = r.template_id
       WHERE r.gateway = given.gateway
         AND r.deleted_at IS NULL
         AND ${isOf(GIVEN)}
       LIMIT 1
    ) AS own ON true
   ORDER BY own.template_id, given.place`;

/**
 * Stores states as `applyProviderTemplate` does, in the order of the templates' keys, so that transactions with several
 * never deadlock. The states of one template are stored in the given order. A state of no template is skipped.
 */
export async function applyProviderTemplates(db: EntityManager, states: ProviderTemplate[]): Promise<void> {
  const ordered: { place: number }[] =
    states.length > 1 ? await db.query(ORDER, STATES.values(states)) : states.map((_, place) => ({ place }));
  for (const { place } of ordered) await applyProviderTemplate(db, states[place]!);
}
