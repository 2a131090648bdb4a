import { MAX_UUID, MIN_UUID } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

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

/** Maximum number of events that a page reads when no index serves all of its filters. */
const EXAMINED = 10_000;

/**
 * Reads a page, and on every row the id where it stopped if it read as many events as it may. Without an event there is
 * one row of nulls.
 *
 * @param column the filter whose index is read; undefined to read all events of the account
 */
const pageBy = (column?: 'target' | 'action' | 'actor'): string => {
  const value = { target: '$5', action: '$4', actor: '$3' };
  return sql`
    WITH candidate AS MATERIALIZED (
      SELECT id, actor, action, target
        FROM audit_event
       WHERE account_id = $1
         ${column ? `AND ${column} = ${value[column]}` : ''}
         AND id >= $6::uuid
         AND id < $7::uuid
       ORDER BY id DESC
       LIMIT $8
    ), found AS (
      SELECT id
        FROM candidate
       WHERE ($3::text IS NULL OR actor = $3)
         AND ($4::text IS NULL OR action = $4)
         AND ($5::text IS NULL OR target = $5)
       ORDER BY id DESC
       LIMIT $2
    )
    SELECT e.id, e.actor, e.actor_name AS "actorName", e.action, e.target, e.before, e.after, e.address,
           e.created_at AS "createdAt", edge.edge
      FROM (SELECT CASE WHEN count(*) = $8 THEN min(id::text) END AS edge FROM candidate) AS edge
      LEFT JOIN (found JOIN audit_event e ON e.id = found.id) ON true
     ORDER BY e.id DESC`;
};

const PAGES = {
  target: pageBy('target'),
  action: pageBy('action'),
  actor: pageBy('actor'),
  account: pageBy(),
};

type PageRow = (ListedAuditEvent | Record<keyof ListedAuditEvent, null>) & { edge: string | null };

const isEvent = (row: PageRow): row is ListedAuditEvent & PageRow => row.id !== null;

/**
 * Lists a page of the audit log of an account, newest first. With several filters it reads the events of one of them, at
 * most EXAMINED; a page that is not full may have a next one.
 *
 * @returns `next` is the `beforeId` of the next page; null at the end
 */
export async function listAuditEvents(
  db: EntityManager,
  accountId: string,
  { actor, action, target, fromId, beforeId }: AuditFilter,
  limit: number,
): Promise<{ events: ListedAuditEvent[]; next: string | null }> {
  const given = (['target', 'action', 'actor'] as const).filter(
    (name) => ({ target, action, actor })[name] !== null,
  );
  const rows: PageRow[] = await db.query(PAGES[given[0] ?? 'account'], [
    accountId,
    limit + 1,
    actor,
    action,
    target,
    fromId ?? MIN_UUID,
    beforeId ?? MAX_UUID,
    given.length > 1 ? EXAMINED : limit + 1,
  ]);
  const found = rows.filter(isEvent).map(({ edge: _, ...event }) => event);
  const events = found.slice(0, limit);
  return { events, next: found.length > limit ? events.at(-1)!.id : (rows[0]?.edge ?? null) };
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
