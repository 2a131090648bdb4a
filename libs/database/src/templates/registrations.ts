import type { Category, TemplateContent } from '@signalbox/domain/templates/template';
import type { TemplateStatus } from '@signalbox/domain/templates/status';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { SERVED } from './gateway-numbers.ts';

/*
 * A template of a chat account one of whose numbers a gateway of kind cloud-api serves is registered with the provider of
 * that gateway. The provider reviews it; ours does not. A registration is a row: what is due is claimed with a lease, and a
 * worker that dies leaves it due.
 */

const ENROL_LIMIT = 500;

const ENROL = sql`
  WITH missing AS MATERIALIZED (
    SELECT t.id, t.status, min(gn.gateway) AS gateway
      FROM ${SERVED}
      JOIN template t ON t.account_id = cs.account_id AND t.chat_account_id = cs.chat_account_id
      LEFT JOIN template_registration r ON r.template_id = t.id
     WHERE t.deleted_at IS NULL
     GROUP BY t.id, r.gateway
    HAVING r.gateway IS NULL
        OR bool_and(r.gateway <> gn.gateway)
     ORDER BY t.id
     LIMIT ${ENROL_LIMIT}
  ), enrolled AS (
    INSERT INTO template_registration AS r (template_id, gateway)
    SELECT id, gateway
      FROM missing
    ON CONFLICT ON CONSTRAINT template_registration_pkey DO UPDATE
       SET gateway = EXCLUDED.gateway, gateway_template_id = NULL, version = 0, attempted_version = 0,
           status = NULL, reason = NULL, quality = NULL, coming_category = NULL, problem = NULL,
           starts = 0, due_at = now(), checked_at = NULL
    RETURNING template_id
  ), reopened AS (
    -- a template that only Signalbox approved is not known to the provider, so it cannot be sent
    UPDATE template t
       SET status = 'PENDING', approved_version = NULL, submitted_at = now(), updated_at = now()
      FROM enrolled
     WHERE t.id = enrolled.template_id
       AND t.status IN ('APPROVED', 'PAUSED')
    RETURNING t.id
  )
  SELECT (SELECT count(*) FROM enrolled)::integer AS enrolled,
         (SELECT count(*) FROM reopened)::integer AS reopened`;

/** Enrols templates that a gateway serves and that have no registration with it, a bounded number per call. */
export async function enrolTemplates(db: EntityManager): Promise<{ enrolled: number; reopened: number }> {
  const [row]: { enrolled: number; reopened: number }[] = await db.query(ENROL);
  return row!;
}

/** A template that is to be registered, edited or deleted at the provider, as it is now. */
export interface DueRegistration extends TemplateContent {
  templateId: string;
  accountId: string;
  gateway: string;
  name: string;
  language: string;
  version: number;
  isDeleted: boolean;
  /** Null until the provider has given one, or one of its templates was first edited. */
  gatewayTemplateId: string | null;
  /** Version that was last sent to the provider, whether or not it arrived. */
  attemptedVersion: number;
  starts: number;
}

const CLAIM = sql`
  WITH due AS MATERIALIZED (
    SELECT r.template_id
      FROM (
        SELECT r.template_id, t.deleted_at IS NULL AS is_last,
               row_number() OVER (PARTITION BY t.account_id ORDER BY t.deleted_at IS NULL, r.due_at) AS place
          FROM template_registration r
          JOIN template t ON t.id = r.template_id
         WHERE r.deleted_at IS NULL
           AND r.due_at <= now()
           AND r.gateway = $1
           AND (t.deleted_at IS NOT NULL OR r.version < t.version AND t.status = 'PENDING')
           AND NOT EXISTS (
             SELECT
               FROM template_registration old
               JOIN template gone ON gone.id = old.template_id
              WHERE t.deleted_at IS NULL
                AND gone.deleted_at IS NOT NULL
                AND gone.name = t.name
                AND gone.language = t.language
                AND old.gateway = r.gateway
                AND old.deleted_at IS NULL
           )
      ) AS placed
      JOIN template_registration r ON r.template_id = placed.template_id
     WHERE placed.place <= $4
       AND r.due_at <= now()
     ORDER BY placed.place, placed.is_last, r.due_at
     LIMIT $2
       FOR UPDATE OF r SKIP LOCKED
  ), claimed AS (
    UPDATE template_registration r
       SET due_at = now() + make_interval(secs => $3),
           starts = LEAST(r.starts + 1, 1000)
      FROM due
     WHERE r.template_id = due.template_id
    RETURNING r.template_id, r.gateway, r.gateway_template_id, r.attempted_version, r.starts
  )
  SELECT c.template_id AS "templateId", t.account_id AS "accountId", c.gateway, t.name, t.language, t.version,
         t.deleted_at IS NOT NULL AS "isDeleted", c.gateway_template_id AS "gatewayTemplateId",
         c.attempted_version AS "attemptedVersion", c.starts, tv.category, tv.components,
         tv.allow_category_change AS "allowCategoryChange", tv.code_expiration_minutes AS "codeExpirationMinutes"
    FROM claimed c
    JOIN template t ON t.id = c.template_id
    JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
   ORDER BY t.deleted_at IS NULL, t.id`;

/**
 * Claims templates of a gateway whose provider does not have their newest version yet, or still has a deleted one:
 * deletions first. A template waits until the provider has deleted the one that had its name and language before:
 * it would take over the provider's template, which the deletion then removes.
 *
 * @param limits `limit` templates at most, of one account `limitOfAccount`
 */
export function claimRegistrations(
  db: EntityManager,
  gateway: string,
  limits: { limit: number; limitOfAccount: number; leaseSeconds: number },
): Promise<DueRegistration[]> {
  return db.query(CLAIM, [gateway, limits.limit, limits.leaseSeconds, limits.limitOfAccount]);
}

/** Marks a deleted template as gone at the provider. */
export async function endRegistration(db: EntityManager, templateId: string): Promise<void> {
  await db.query(
    `UPDATE template_registration SET deleted_at = now(), problem = NULL WHERE template_id = $1`,
    [templateId],
  );
}

/** Postpones a registration that failed for now. */
export async function postponeRegistration(
  db: EntityManager,
  templateId: string,
  problem: string,
  delaySeconds: number,
): Promise<void> {
  await db.query(
    `UPDATE template_registration
        SET problem = $2, due_at = now() + make_interval(secs => $3)
      WHERE template_id = $1`,
    [templateId, problem, delaySeconds],
  );
}

/**
 * Records that a version of a template is about to be sent to the provider. Commit it before the request, so that the
 * next try knows of it even when the worker dies.
 *
 * @param gatewayTemplateId the provider's template that is edited; null when one is created
 */
export async function recordAttempt(
  db: EntityManager,
  templateId: string,
  version: number,
  gatewayTemplateId: string | null,
): Promise<void> {
  await db.query(
    `UPDATE template_registration
        SET attempted_version = GREATEST(attempted_version, $2),
            gateway_template_id = COALESCE($3, gateway_template_id)
      WHERE template_id = $1`,
    [templateId, version, gatewayTemplateId],
  );
}

/** Records that the provider has a version of a template, under its id. The attempt was recorded before. */
export async function recordRegistration(
  db: EntityManager,
  templateId: string,
  version: number,
  gatewayTemplateId: string,
): Promise<void> {
  await db.query(
    `WITH recorded AS (
       UPDATE template_registration
          SET gateway_template_id = $3, version = $2, starts = 0, problem = NULL, due_at = now()
        WHERE template_id = $1
          AND version < $2
       RETURNING template_id, gateway
     )
     INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
     SELECT uuidv7(), t.id, t.account_id, $2, 'registered', 'gateway:' || recorded.gateway, $3, now()
       FROM recorded
       JOIN template t ON t.id = recorded.template_id`,
    [templateId, version, gatewayTemplateId],
  );
}

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
}

const APPLY = sql`
  WITH matched AS (
    SELECT r.template_id, r.status AS old_status, r.quality AS old_quality,
           r.version = t.version
             OR r.gateway_template_id IS NULL AND r.attempted_version = t.version AS is_newest
      FROM template_registration r
      JOIN template t ON t.id = r.template_id
     WHERE r.gateway = $1
       AND r.deleted_at IS NULL
       AND (r.gateway_template_id = $2
            OR r.gateway_template_id IS NULL AND r.attempted_version > 0 AND t.name = $3 AND t.language = $4)
     LIMIT 1
       FOR UPDATE OF r
  ), noted AS (
    UPDATE template_registration r
       SET status = COALESCE($5::text, r.status),
           reason = CASE WHEN $5 IS NULL THEN r.reason ELSE $7 END,
           quality = COALESCE($8::text, r.quality),
           coming_category = CASE WHEN $9::text IS NULL THEN r.coming_category ELSE $10 END,
           checked_at = now()
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
        WHERE $5 = 'FLAGGED' AND matched.old_status IS DISTINCT FROM 'FLAGGED'
     ) AS event
  )
  SELECT template_id AS "templateId" FROM noted`;

/**
 * Stores the state of a template at its provider, and moves the template if the state is of its newest version. Before
 * the template's id at the provider is known, it is found by name and language.
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
  ]);
  return rows.length > 0;
}

/** Marks a template as refused by its provider, with the reason. Its version counts as registered. */
export async function refuseRegistration(
  db: EntityManager,
  templateId: string,
  version: number,
  reason: string,
): Promise<void> {
  await db.query(
    `WITH refused AS (
       UPDATE template_registration
          SET version = $2, attempted_version = GREATEST(attempted_version, $2), status = 'REFUSED', reason = $3,
              problem = NULL, starts = 0
        WHERE template_id = $1
          AND version < $2
       RETURNING gateway
     ), moved AS (
       UPDATE template t
          SET status = 'REJECTED', rejection_reason = $3, approved_version = NULL, updated_at = now()
         FROM refused
        WHERE t.id = $1
          AND t.version = $2
          AND t.status = 'PENDING'
          AND t.deleted_at IS NULL
       RETURNING t.id, t.account_id, refused.gateway
     )
     INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
     SELECT uuidv7(), id, account_id, $2, 'rejected', 'gateway:' || gateway, $3, now()
       FROM moved`,
    [templateId, version, reason],
  );
}

/** Counts the templates of a gateway that its provider has and has not decided about. */
export async function countUndecided(db: EntityManager, gateway: string): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `SELECT count(*)::integer AS count
       FROM template_registration r
       JOIN template t ON t.id = r.template_id
      WHERE r.gateway = $1
        AND r.gateway_template_id IS NOT NULL
        AND r.deleted_at IS NULL
        AND t.deleted_at IS NULL
        AND t.status = 'PENDING'`,
    [gateway],
  );
  return row!.count;
}

/** The registration of a template with its provider. */
export interface Registration {
  gateway: string;
  gatewayTemplateId: string | null;
  status: string | null;
  reason: string | null;
  quality: string | null;
  comingCategory: Category | null;
  /** Reason why the last try failed, which is repeated. */
  problem: string | null;
}
