import type { Route } from '@signalbox/domain/routing/route';
import type { EntityManager } from 'typeorm';
import { countChanged, returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/** A route as it is stored. */
export interface RouteRow extends Route {
  /** Grows with each change. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = sql`
  id, priority, match, targets, fallbacks, policy, version,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const LIST = sql`
  SELECT ${COLUMNS}
    FROM route
   ORDER BY priority, id`;

/** Lists all routes in the order in which they are tried. */
export function listRoutes(db: EntityManager): Promise<RouteRow[]> {
  return db.query(LIST);
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
  INSERT INTO route (id, priority, match, targets, fallbacks, policy)
  VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING ${COLUMNS}`;

/** Stores a route, which workers follow within two seconds. */
export async function insertRoute(db: EntityManager, route: Route): Promise<RouteRow> {
  const [row]: RouteRow[] = await db.query(INSERT, valuesOf(route));
  return row!;
}

const UPDATE = sql`
  UPDATE route
     SET priority = $2,
         match = $3,
         targets = $4,
         fallbacks = $5,
         policy = $6,
         version = version + 1,
         updated_at = now()
   WHERE id = $1
  RETURNING ${COLUMNS}`;

/** Replaces a route; undefined when there is none of its id. */
export async function updateRoute(db: EntityManager, route: Route): Promise<RouteRow | undefined> {
  const [row] = await returning<RouteRow>(db, UPDATE, valuesOf(route));
  return row;
}

/** Deletes a route; false when there is none. */
export async function deleteRoute(db: EntityManager, id: string): Promise<boolean> {
  return (await countChanged(db, `DELETE FROM route WHERE id = $1`, [id])) === 1;
}

function valuesOf({ id, priority, match, targets, fallbacks, policy }: Route): unknown[] {
  return [id, priority, ...[match, targets, fallbacks, policy].map((value) => JSON.stringify(value))];
}
