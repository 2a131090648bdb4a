import type { Category, TemplateContent } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { orNameExists } from '../core/unique-name.ts';

/*
 * A template of a chat account one of whose numbers a gateway of kind cloud-api serves is registered with the provider of
 * that gateway. The provider reviews it; ours does not. A registration is a row: what is due is claimed with a lease, and a
 * worker that dies leaves it due.
 */

/** A template that is to be registered, edited or deleted at the provider, as it is now. */
export interface DueRegistration extends TemplateContent {
  templateId: string;
  accountId: string;
  gateway: string;
  name: string;
  language: string;
  version: number;
  isDeleted: boolean;
  /** Version that the provider has, 0 for none. */
  registeredVersion: number;
  /** Null until the provider has given one, or one of its templates was first edited. */
  gatewayTemplateId: string | null;
  /** Version that was last sent to the provider and may have arrived. */
  attemptedVersion: number;
  starts: number;
  /** Names the claim; no other has it. */
  claimId: string;
}

/** A gateway and its business account at the provider. */
interface BusinessAccount {
  gateway: string;
  businessAccountId: string;
}

/** The next step of the registration of the template `t`, as the index `template_registration_step` has it. */
const STEP = sql`
  CASE
    WHEN t.registered_version IS NULL THEN 'none'
    WHEN t.deleted_at IS NOT NULL THEN 'delete'
    WHEN t.status <> 'PENDING' THEN 'none'
    WHEN t.registered_version < t.version THEN 'send'
    ELSE 'decide'
  END`;

/** Values of `template.registered_with` for a business account: an earlier version stored the gateway alone. */
const registeredWith = (gateway: string, businessAccountId: string): string =>
  `concat(${gateway}::text, ' ', ${businessAccountId}::text), concat(${gateway}::text, ' ')`;

const CLAIM = sql`
  WITH going AS MATERIALIZED (
    -- deleted ones that the provider still has
    SELECT r.template_id, r.business_account_id, r.due_at, t.account_id, t.name, t.language
      FROM template t
      JOIN template_registration r ON r.template_id = t.id
     WHERE ${STEP} = 'delete'
       AND (r.business_account_id = $5 OR r.business_account_id IS NULL AND r.gateway = $1)
  ), due AS MATERIALIZED (
    SELECT r.template_id
      FROM (
        SELECT template_id, is_last, row_number() OVER (PARTITION BY account_id ORDER BY is_last, due_at) AS place
          FROM (
            SELECT template_id, account_id, due_at, false AS is_last
              FROM going
            UNION ALL
            SELECT t.id, t.account_id, r.due_at, true
              FROM template t
              JOIN template_registration r ON r.template_id = t.id
             WHERE ${STEP} = 'send'
               AND t.registered_with IN (${registeredWith('$1', '$5')})
               AND NOT EXISTS (
                 SELECT
                   FROM going
                  WHERE name = t.name
                    AND language = t.language
                    AND business_account_id = $5
               )
          ) AS open
         WHERE due_at <= now()
           AND account_id <> ALL ($6::uuid[])
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
           starts = LEAST(r.starts + 1, 1000),
           claim_id = gen_random_uuid()
      FROM due
     WHERE r.template_id = due.template_id
    RETURNING r.template_id, r.gateway, r.gateway_template_id, r.version, r.attempted_version, r.starts, r.claim_id
  )
  SELECT c.template_id AS "templateId", t.account_id AS "accountId", c.gateway, t.name, t.language, t.version,
         t.deleted_at IS NOT NULL AS "isDeleted", c.gateway_template_id AS "gatewayTemplateId",
         c.version AS "registeredVersion", c.attempted_version AS "attemptedVersion", c.starts,
         c.claim_id AS "claimId", tv.category, tv.components, tv.allow_category_change AS "allowCategoryChange",
         tv.code_expiration_minutes AS "codeExpirationMinutes"
    FROM claimed c
    JOIN template t ON t.id = c.template_id
    JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
   ORDER BY t.deleted_at IS NULL, t.id`;

/**
 * Claims templates of a gateway whose provider does not have their newest version yet, and those of its business
 * account that the provider still has after their deletion: deletions first. A template waits until the provider has
 * deleted the one that had its name and language before: it would take over the provider's template, which the
 * deletion then removes.
 *
 * @param limits `limit` templates at most, of one account `limitOfAccount`, and none of the accounts `busy`
 */
export function claimRegistrations(
  db: EntityManager,
  { gateway, businessAccountId }: BusinessAccount,
  {
    limit,
    limitOfAccount,
    leaseSeconds,
    busy = [],
  }: { limit: number; limitOfAccount: number; leaseSeconds: number; busy?: string[] },
): Promise<DueRegistration[]> {
  return db.query(CLAIM, [gateway, limit, leaseSeconds, limitOfAccount, businessAccountId, busy]);
}

/** Identifies a claim. Its outcome and a move to another gateway end it, and so does a worker that writes no claim_id. */
type Claim = Pick<DueRegistration, 'templateId' | 'claimId' | 'starts' | 'gateway'>;

/** True for the registration of a claim that is still the newest. $1 template, $2 claim, $3 starts, $4 gateway. */
const IS_CLAIMED = sql`
  template_id = $1
  AND claim_id = $2
  AND starts = $3
  AND gateway = $4`;

const KEEP = sql`
  WITH kept AS (
    UPDATE template_registration
       SET due_at = now() + make_interval(secs => $5)
     WHERE ${IS_CLAIMED}
    RETURNING template_id
  )
  SELECT template_id FROM kept`;

/**
 * Extends a claim.
 *
 * @returns false when the lease ended, and another claim was made since, or the template moved to another gateway
 */
export async function keepClaim(
  db: EntityManager,
  { templateId, claimId, starts, gateway }: Claim,
  leaseSeconds: number,
): Promise<boolean> {
  const kept: unknown[] = await db.query(KEEP, [templateId, claimId, starts, gateway, leaseSeconds]);
  return kept.length > 0;
}

/**
 * Reserves the name and language of a template in a business account, until it is deleted or refused. A repeat is
 * harmless.
 *
 * @returns false when another template has them there
 */
export async function reserveName(
  db: EntityManager,
  templateId: string,
  businessAccountId: string,
): Promise<boolean> {
  const reserve = db.query(
    `UPDATE template_registration r
        SET business_account_id = $2, reserved_name = t.name || ' ' || t.language
       FROM template t
      WHERE r.template_id = $1
        AND t.id = $1`,
    [templateId, businessAccountId],
  );
  return (await orNameExists('template_registration_name', reserve)) !== 'name_exists';
}

/** Marks a deleted template as gone at the provider. */
export async function endRegistration(db: EntityManager, templateId: string): Promise<void> {
  await db.query(
    `UPDATE template_registration SET deleted_at = now(), problem = NULL WHERE template_id = $1`,
    [templateId],
  );
}

const POSTPONE = sql`
  UPDATE template_registration
     SET problem = $5, due_at = now() + make_interval(secs => $6)
   WHERE ${IS_CLAIMED}`;

/** Postpones a registration that failed for now, unless another claim of it was made since. */
export async function postponeRegistration(
  db: EntityManager,
  { templateId, claimId, starts, gateway }: Claim,
  problem: string,
  delaySeconds: number,
): Promise<void> {
  await db.query(POSTPONE, [templateId, claimId, starts, gateway, problem, delaySeconds]);
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
            gateway_template_id = COALESCE($3, gateway_template_id),
            status_at = date_trunc('second', now())
      WHERE template_id = $1`,
    [templateId, version, gatewayTemplateId],
  );
}

/** Resets a registration whose last attempt did not arrive: the provider has what it had before. */
const WITHDRAWN = sql`
  attempted_version = version,
  gateway_template_id = CASE WHEN version > 0 THEN gateway_template_id END`;

const WITHDRAW = sql`
  UPDATE template_registration
     SET ${WITHDRAWN}
   WHERE template_id = $1`;

/** Withdraws the attempt of a version that did not reach the provider. */
export async function withdrawAttempt(db: EntityManager, templateId: string): Promise<void> {
  await db.query(WITHDRAW, [templateId]);
}

/**
 * Records that the provider has a version of a template, under its id, unless the template was moved to another gateway
 * meanwhile.
 */
export async function recordRegistration(
  db: EntityManager,
  { templateId, version, gateway }: Pick<DueRegistration, 'templateId' | 'version' | 'gateway'>,
  gatewayTemplateId: string,
): Promise<void> {
  await db.query(
    `WITH recorded AS (
       UPDATE template_registration
          SET gateway_template_id = $3, version = $2, attempted_version = GREATEST(attempted_version, $2),
              status = NULL, reason = NULL, starts = 0, problem = NULL, due_at = now(),
              status_at = date_trunc('second', now()) -- a list from before shows the version before
        WHERE template_id = $1
          AND version < $2
          AND gateway = $4
       RETURNING template_id, gateway
     )
     INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
     SELECT uuidv7(), t.id, t.account_id, $2, 'registered', 'gateway:' || recorded.gateway, $3, now()
       FROM recorded
       JOIN template t ON t.id = recorded.template_id`,
    [templateId, version, gatewayTemplateId, gateway],
  );
}

const REFUSE = sql`
  WITH refused AS (
    UPDATE template_registration
       SET ${WITHDRAWN},
           reserved_name = CASE WHEN version > 0 THEN reserved_name END,
           status = 'REFUSED',
           reason = $3,
           problem = NULL,
           starts = 0,
           due_at = now()
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
    FROM moved`;

/**
 * Marks a version of a template as refused by its provider, with the reason. The provider keeps the version that it
 * has, whose states no longer move the template; without one, the name is free for others.
 */
export async function refuseRegistration(
  db: EntityManager,
  templateId: string,
  version: number,
  reason: string,
): Promise<void> {
  await db.query(REFUSE, [templateId, version, reason]);
}

const HAS_UNDECIDED = sql`
  SELECT EXISTS (
    SELECT
      FROM template t
     WHERE ${STEP} = 'decide'
       AND t.registered_with IN (${registeredWith('$1', '$2')})
  ) AS found`;

/** True when the provider of a gateway has templates in their newest version that it has not decided on. */
export async function hasUndecided(
  db: EntityManager,
  { gateway, businessAccountId }: BusinessAccount,
): Promise<boolean> {
  const [row]: { found: boolean }[] = await db.query(HAS_UNDECIDED, [gateway, businessAccountId]);
  return row!.found;
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
