import type { Category, TemplateContent } from '@signalbox/domain/templates/template';
import { type Decision, DECISION_MOVES } from '@signalbox/domain/templates/status';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { isRegisteredElsewhere } from './gateway-numbers.ts';

/** A version under review. */
export interface PendingTemplate extends TemplateContent {
  id: string;
  version: number;
}

/** A decision about a version of a template; about the newest when it names none. */
export interface TemplateDecision {
  id: string;
  decision: Decision;
  version?: number;
  /** The category of an approval, when it is another one than that of the template. */
  category?: Category;
  reason?: string | undefined;
}

const EVENTS: Readonly<Record<Decision, string>> = {
  approve: 'approved',
  reject: 'rejected',
  pause: 'paused',
  resume: 'resumed',
};

/** Lists the pending ones of these templates with the content to review, but for those that a provider reviews. */
export function listPendingTemplates(db: EntityManager, ids: string[]): Promise<PendingTemplate[]> {
  return db.query(
    `SELECT t.id, t.version, tv.category, tv.components, tv.allow_category_change AS "allowCategoryChange",
            tv.code_expiration_minutes AS "codeExpirationMinutes"
       FROM template t
       JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
      WHERE t.id = ANY($1::uuid[])
        AND t.status = 'PENDING'
        AND t.deleted_at IS NULL
        AND NOT ${isRegisteredElsewhere()}`,
    [ids],
  );
}

const DECISIONS = rowset('given', {
  id: 'uuid',
  version: ['integer', ({ version }: TemplateDecision) => version],
  from_status: ['text', ({ decision }: TemplateDecision) => DECISION_MOVES[decision].from],
  to_status: ['text', ({ decision }: TemplateDecision) => DECISION_MOVES[decision].to],
  event: ['text', ({ decision }: TemplateDecision) => EVENTS[decision]],
  category: ['text', ({ category }: TemplateDecision) => category],
  reason: ['text', ({ reason }: TemplateDecision) => reason],
});

const DECIDE = sql`
  WITH given AS (
    SELECT *
      FROM ${DECISIONS.from}
     ORDER BY id
  ), moved AS (
    UPDATE template t
       SET status = given.to_status,
           category = COALESCE(given.category, t.category),
           updated_at = now(),
           approved_version = CASE given.to_status WHEN 'REJECTED' THEN NULL ELSE t.version END,
           rejection_reason = CASE given.to_status WHEN 'REJECTED' THEN given.reason END
      FROM given
     WHERE t.id = given.id
       AND t.status = given.from_status
       AND (given.version IS NULL OR t.version = given.version)
       AND t.deleted_at IS NULL
       AND ($9::uuid IS NULL OR t.account_id = $9)
       AND NOT ${isRegisteredElsewhere()}
    RETURNING t.id, t.account_id, t.version, given.event, given.reason
  ), unregistered AS (
    -- a provider that serves the template again has not approved it, so it is enrolled anew
    DELETE FROM template_registration
     WHERE template_id IN (
       SELECT r.template_id
         FROM template_registration r
         JOIN moved ON moved.id = r.template_id
        WHERE moved.event = 'approved'
          FOR UPDATE OF r SKIP LOCKED
     )
  ), events AS (
    INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
    SELECT uuidv7(), id, account_id, version, event, $8, reason, now()
      FROM moved
  )
  SELECT id FROM moved`;

/**
 * Carries out decisions, each only from the status that it is about, and records who decided and why. A repeated
 * decision, one about a version that was edited meanwhile, or one about a template that a provider reviews, does
 * nothing. An approval ends the registration with a provider that serves the template no longer.
 *
 * @param accountId decides about this account's templates only; undefined for the reviewer of all
 * @returns the ids of those that moved
 */
export async function decideTemplates(
  db: EntityManager,
  decisions: TemplateDecision[],
  actor: string,
  accountId?: string,
): Promise<string[]> {
  const values = [...DECISIONS.values(decisions), actor, accountId ?? null];
  const moved: { id: string }[] = await db.query(DECIDE, values);
  return moved.map(({ id }) => id);
}

/** An event in the history of a template, with the content of its version. */
export interface TemplateEvent extends Pick<TemplateContent, 'category' | 'components'> {
  id: string;
  version: number;
  event: string;
  actor: string;
  reason: string | null;
  createdAt: Date;
  /** The content that an edit replaced; null for every other event. */
  before: Pick<TemplateContent, 'category' | 'components'> | null;
}

/** Lists a page of the history of a template of an account, newest first. */
export function listTemplateEvents(
  db: EntityManager,
  accountId: string,
  templateId: string,
  limit: number,
  before?: string,
): Promise<TemplateEvent[]> {
  return db.query(
    `SELECT te.id, te.version, te.event, te.actor, te.reason, te.created_at AS "createdAt", tv.category, tv.components,
            CASE WHEN replaced.version IS NOT NULL
              THEN jsonb_build_object('category', replaced.category, 'components', replaced.components)
            END AS before
       FROM template_event te
       JOIN template_version tv ON tv.template_id = te.template_id AND tv.version = te.version
       LEFT JOIN template_version replaced
         ON replaced.template_id = te.template_id
        AND replaced.version = te.version - 1
        AND te.event = 'edited'
      WHERE te.template_id = $1
        AND te.account_id = $2
        AND ($3::uuid IS NULL OR te.id < $3)
      ORDER BY te.id DESC
      LIMIT $4`,
    [templateId, accountId, before ?? null, limit],
  );
}
