import type { Route } from '@signalbox/domain/routing/route';
import type { EntityManager } from 'typeorm';
import { countChanged, returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/** A route as it is stored. */
export interface RouteRow extends Route {
  /** Unique; GATEWAYS_FILE identifies a route by it. */
  name: string;
  /** False takes no messages. */
  enabled: boolean;
  /** `file` for a row that GATEWAYS_FILE names. */
  source: 'api' | 'file';
  /** Grows with each change. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = sql`
  id, name, enabled, source, priority, match, targets, fallbacks, policy, version,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** A route to store. By default it is enabled, of the API, and named by its id. */
export type NewRoute = Route & Partial<Pick<RouteRow, 'name' | 'enabled' | 'source' | 'createdAt'>>;

const list = (where: string): string => sql`
  SELECT ${COLUMNS}
    FROM route
   WHERE ${where}
   ORDER BY priority, id`;

const LIST = list('enabled');
const LIST_ALL = list('true');

/** Lists the enabled routes in the order in which they are tried. */
export function listRoutes(db: EntityManager): Promise<RouteRow[]> {
  return db.query(LIST);
}

/** Lists all routes in the order in which they are tried. */
export function listAllRoutes(db: EntityManager): Promise<RouteRow[]> {
  return db.query(LIST_ALL);
}

/** Lets one change of gateways and routes happen at a time, until the end of the transaction. */
export async function lockRouting(db: EntityManager): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock(hashtextextended('routing', 0))`);
}

const FIND = sql`
  SELECT ${COLUMNS}
    FROM route
   WHERE id = $1`;

/** Finds a route by its id. */
export async function findRoute(db: EntityManager, id: string): Promise<RouteRow | undefined> {
  const [row]: RouteRow[] = await db.query(FIND, [id]);
  return row;
}

const INSERT = sql`
  INSERT INTO route (id, priority, match, targets, fallbacks, policy, name, enabled, source,
                     created_at, updated_at)
  VALUES ($1::uuid, $2, $3, $4, $5, $6, COALESCE($7, $1::uuid::text), COALESCE($8, true), COALESCE($9, 'api'),
          COALESCE($10, now()), COALESCE($10, now()))
  RETURNING ${COLUMNS}`;

/** Stores a route, which workers follow within two seconds. */
export async function insertRoute(db: EntityManager, route: NewRoute): Promise<RouteRow> {
  const [row]: RouteRow[] = await db.query(INSERT, [
    ...valuesOf(route),
    route.createdAt?.toISOString() ?? null,
  ]);
  return row!;
}

const UPDATE = sql`
  UPDATE route
     SET priority = $2,
         match = $3,
         targets = $4,
         fallbacks = $5,
         policy = $6,
         name = COALESCE($7, name),
         enabled = COALESCE($8, enabled),
         source = COALESCE($9, source),
         version = version + 1,
         updated_at = now()
   WHERE id = $1
  RETURNING ${COLUMNS}`;

/** Replaces a route; undefined when there is none of its id. */
export async function updateRoute(db: EntityManager, route: NewRoute): Promise<RouteRow | undefined> {
  const [row] = await returning<RouteRow>(db, UPDATE, valuesOf(route));
  return row;
}

/** Deletes a route; false when there is none. */
export async function deleteRoute(db: EntityManager, id: string): Promise<boolean> {
  return (await countChanged(db, `DELETE FROM route WHERE id = $1`, [id])) === 1;
}

function valuesOf(route: NewRoute): unknown[] {
  const {
    id,
    priority,
    match,
    targets,
    fallbacks,
    policy,
    name = null,
    enabled = null,
    source = null,
  } = route;
  const json = [match, targets, fallbacks, policy].map((value) => JSON.stringify(value));
  return [id, priority, ...json, name, enabled, source];
}
