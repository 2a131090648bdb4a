import type { Category, TemplateContent } from '@signalbox/domain/templates/template';
import { type Decision, MOVES } from '@signalbox/domain/templates/status';
import type { EntityManager } from 'typeorm';

/** A version that waits for its review. */
export interface PendingTemplate extends TemplateContent {
  id: string;
  version: number;
}

/** What was decided of a template; of the version named, or else of whichever is the newest. */
export interface TemplateDecision {
  id: string;
  decision: Decision;
  version?: number;
  /** For an approval in another category than the template was sent in with. */
  category?: Category;
  reason?: string | undefined;
}

const EVENTS: Readonly<Record<Decision, string>> = {
  approve: 'approved',
  reject: 'rejected',
  pause: 'paused',
  resume: 'resumed',
};

/** Those of these templates that wait for a review, with what to review. */
export function listPendingTemplates(db: EntityManager, ids: string[]): Promise<PendingTemplate[]> {
  return db.query(
    `SELECT t.id, t.version, v.category, v.components, v.allow_category_change AS "allowCategoryChange",
            v.code_expiration_minutes AS "codeExpirationMinutes"
       FROM template t JOIN template_version v ON v.template_id = t.id AND v.version = t.version
      WHERE t.id = ANY($1::uuid[]) AND t.status = 'PENDING' AND t.deleted_at IS NULL`,
    [ids],
  );
}

/**
 * Moves templates as it was decided, each only from the status that its decision is about, and notes who decided and why.
 * A decision that comes again, or about a version that was edited meanwhile, does nothing.
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
  const moved: { id: string }[] = await db.query(
    `WITH given AS (
       SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         AS g(id, version, from_status, to_status, event, category, reason)
     ), moved AS (
       UPDATE template t
          SET status = g.to_status, category = COALESCE(g.category, t.category), updated_at = now(),
              approved_version = CASE g.to_status WHEN 'REJECTED' THEN NULL ELSE t.version END,
              rejection_reason = CASE g.to_status WHEN 'REJECTED' THEN g.reason END
         FROM given g
        WHERE t.id = g.id AND t.status = g.from_status AND (g.version IS NULL OR t.version = g.version) AND t.deleted_at IS NULL
          AND ($9::uuid IS NULL OR t.account_id = $9)
       RETURNING t.id, t.account_id, t.version, g.event, g.reason
     ), events AS (
       INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
       SELECT uuidv7(), id, account_id, version, event, $8, reason, now() FROM moved
     )
     SELECT id FROM moved`,
    [
      decisions.map(({ id }) => id),
      decisions.map(({ version }) => version ?? null),
      decisions.map(({ decision }) => MOVES[decision].from),
      decisions.map(({ decision }) => MOVES[decision].to),
      decisions.map(({ decision }) => EVENTS[decision]),
      decisions.map(({ category }) => category ?? null),
      decisions.map(({ reason }) => reason ?? null),
      actor,
      accountId ?? null,
    ],
  );
  return moved.map(({ id }) => id);
}

/** Something that happened to a template. */
export interface TemplateEvent {
  id: string;
  version: number;
  event: string;
  actor: string;
  reason: string | null;
  createdAt: Date;
}

/** A page of what happened to a template of an account, newest first, with the content of its version. */
export function listTemplateEvents(
  db: EntityManager,
  accountId: string,
  templateId: string,
  limit: number,
  before?: string,
): Promise<(TemplateEvent & Pick<TemplateContent, 'category' | 'components'>)[]> {
  return db.query(
    `SELECT e.id, e.version, e.event, e.actor, e.reason, e.created_at AS "createdAt", v.category, v.components
       FROM template_event e JOIN template_version v ON v.template_id = e.template_id AND v.version = e.version
      WHERE e.template_id = $1 AND e.account_id = $2 AND ($3::uuid IS NULL OR e.id < $3) ORDER BY e.id DESC LIMIT $4`,
    [templateId, accountId, before ?? null, limit],
  );
}
