import type { EntityManager } from 'typeorm';

/** A write by a user, or by a key that manages: who did what to what, from where. */
export interface AuditEvent {
  /** By default from the database: ids of one transaction keep their order. */
  id?: string;
  accountId: string;
  /** `user:<id>`, `api-key:<id>` or `cli`. */
  actor: string;
  /** Name of the actor at that time. */
  actorName: string;
  /** Operation id, as in the OpenAPI document. */
  action: string;
  /** Id of what was changed. */
  target: string | null;
  before: object | null;
  after: object | null;
  address: string;
}

/** A stored event. */
export interface ListedAuditEvent extends Omit<AuditEvent, 'accountId'> {
  id: string;
  createdAt: Date;
}

/** Filters of the audit log; null for any. */
export interface AuditFilter {
  actor: string | null;
  action: string | null;
  target: string | null;
  /** The lowest id of the range of time, inclusive. */
  fromId: string | null;
  /** The id that ends the page, exclusive. */
  beforeId: string | null;
}

/** Appends to the audit log. */
export async function insertAuditEvent(db: EntityManager, event: AuditEvent): Promise<void> {
  const { id, accountId, actor, actorName, action, target, before, after, address } = event;
  await db.query(
    `INSERT INTO audit_event (id, account_id, actor, actor_name, action, target, before, after, address)
     VALUES (COALESCE($1, uuidv7()), $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id ?? null, accountId, actor, actorName, action, target, json(before), json(after), address],
  );
}

/** Lists a page of the audit log of an account, newest first. */
export function listAuditEvents(
  db: EntityManager,
  accountId: string,
  { actor, action, target, fromId, beforeId }: AuditFilter,
  limit: number,
): Promise<ListedAuditEvent[]> {
  return db.query(
    `SELECT id, actor, actor_name AS "actorName", action, target, before, after, address, created_at AS "createdAt"
       FROM audit_event
      WHERE account_id = $1
        AND ($3::text IS NULL OR actor = $3)
        AND ($4::text IS NULL OR action = $4)
        AND ($5::text IS NULL OR target = $5)
        AND ($6::uuid IS NULL OR id >= $6)
        AND ($7::uuid IS NULL OR id < $7)
      ORDER BY id DESC
      LIMIT $2`,
    [accountId, limit, actor, action, target, fromId, beforeId],
  );
}

/** Names actors as histories show them: the users and the API keys among them; others are missing. */
export async function listActorNames(
  db: EntityManager,
  accountId: string,
  actors: string[],
): Promise<Map<string, string>> {
  const idsOf = (kind: string) =>
    actors.flatMap((actor) => (actor.startsWith(kind) ? [actor.slice(kind.length)] : []));
  const rows: { actor: string; name: string }[] = await db.query(
    `SELECT 'user:' || id AS actor, name
       FROM app_user
      WHERE id = ANY($1::uuid[])
     UNION ALL
     SELECT 'api-key:' || id, name
       FROM api_key
      WHERE account_id = $3
        AND id = ANY($2::uuid[])`,
    [idsOf('user:'), idsOf('api-key:'), accountId],
  );
  return new Map(rows.map(({ actor, name }) => [actor, name]));
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
