import type { EntityManager } from 'typeorm';
import type { Channel } from '@signalbox/domain/channel';
import type { OldSecret } from '../core/old-secrets.ts';
import { countChanged, returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A gateway as it is configured. */
export interface GatewayRow {
  id: string;
  name: string;
  channel: Channel;
  kind: string;
  /** As they were given; a worker checks them again before it uses them. */
  settings: unknown;
  /** JSON of the credentials by name, sealed for `gatewayRow(id)`; null when there are none. */
  sealedSecrets: Buffer | null;
  /** Credentials that were replaced, sealed alike: callbacks by them are accepted for a while. */
  oldSecrets: OldSecret[];
  /** Messages per second for all workers together; null for no limit. */
  ratePerSecond: number | null;
  /** False closes the gateway in every worker. */
  enabled: boolean;
  /** True keeps it open for reports, and submits nothing. */
  paused: boolean;
  /** `file` for a row that GATEWAYS_FILE names. */
  source: 'api' | 'file';
  /** Grows with each change. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of a gateway that its creator chooses; `source` is `api` by default. */
export type NewGateway = Omit<GatewayRow, 'oldSecrets' | 'source' | 'version' | 'createdAt' | 'updatedAt'> &
  Partial<Pick<GatewayRow, 'source' | 'createdAt'>>;

/** The fields of a gateway that may change; those that are absent stay. */
export type GatewayChange = Partial<
  Pick<
    GatewayRow,
    'settings' | 'sealedSecrets' | 'oldSecrets' | 'ratePerSecond' | 'enabled' | 'paused' | 'source'
  >
>;

const COLUMNS = sql`
  id, name, channel, kind, settings, sealed_secrets AS "sealedSecrets", old_secrets AS "oldSecrets",
  rate_per_second AS "ratePerSecond", enabled, paused, source, version,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const LIST = sql`
  SELECT ${COLUMNS}
    FROM gateway
   ORDER BY name`;

/** Lists all gateways by name. */
export function listGateways(db: EntityManager): Promise<GatewayRow[]> {
  return db.query(LIST);
}

const LIST_NAMED = sql`
  SELECT ${COLUMNS}
    FROM gateway
   WHERE name = ANY($1::text[])`;

/** Lists the gateways with these names. */
export function listGatewaysNamed(db: EntityManager, names: readonly string[]): Promise<GatewayRow[]> {
  return db.query(LIST_NAMED, [names]);
}

/** Finds a gateway by name. */
export async function findGateway(db: EntityManager, name: string): Promise<GatewayRow | undefined> {
  const [row] = await listGatewaysNamed(db, [name]);
  return row;
}

const INSERT = sql`
  INSERT INTO gateway (id, name, channel, kind, settings, sealed_secrets, rate_per_second, enabled, paused, source,
                       created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, COALESCE($11, now()), COALESCE($11, now()))
  ON CONFLICT ON CONSTRAINT gateway_name_unique DO NOTHING
  RETURNING ${COLUMNS}`;

/** Stores a gateway; undefined when its name is taken. */
export async function insertGateway(db: EntityManager, gateway: NewGateway): Promise<GatewayRow | undefined> {
  const { id, name, channel, kind, sealedSecrets, ratePerSecond, enabled, paused, source = 'api' } = gateway;
  const values = [
    id,
    name,
    channel,
    kind,
    JSON.stringify(gateway.settings),
    sealedSecrets,
    ratePerSecond,
    enabled,
    paused,
    source,
    gateway.createdAt?.toISOString() ?? null,
  ];
  const [row]: GatewayRow[] = await db.query(INSERT, values);
  return row;
}

const UPDATE = sql`
  UPDATE gateway
     SET settings = CASE WHEN $2 THEN $3::jsonb ELSE settings END,
         sealed_secrets = CASE WHEN $4 THEN $5::bytea ELSE sealed_secrets END,
         rate_per_second = CASE WHEN $6 THEN $7::integer ELSE rate_per_second END,
         enabled = COALESCE($8, enabled),
         paused = COALESCE($9, paused),
         source = COALESCE($10, source),
         old_secrets = COALESCE($11::jsonb, old_secrets),
         version = version + 1,
         updated_at = now()
   WHERE id = $1
  RETURNING ${COLUMNS}`;

/** Changes a gateway, which workers follow within two seconds; undefined when there is none of its id. */
export async function updateGateway(
  db: EntityManager,
  id: string,
  change: GatewayChange,
): Promise<GatewayRow | undefined> {
  const has = (field: keyof GatewayChange): boolean => change[field] !== undefined;
  const [row] = await returning<GatewayRow>(db, UPDATE, [
    id,
    has('settings'),
    JSON.stringify(change.settings ?? null),
    has('sealedSecrets'),
    change.sealedSecrets ?? null,
    has('ratePerSecond'),
    change.ratePerSecond ?? null,
    change.enabled ?? null,
    change.paused ?? null,
    change.source ?? null,
    change.oldSecrets ? JSON.stringify(change.oldSecrets) : null,
  ]);
  return row;
}

/** Deletes a gateway, which each worker drains; false when there is none. */
export async function deleteGateway(db: EntityManager, id: string): Promise<boolean> {
  return (await countChanged(db, `DELETE FROM gateway WHERE id = $1`, [id])) === 1;
}

/** The versions of all gateways and routes, which change whenever one of them does. */
export interface GatewayVersions {
  gateways: string;
  routes: string;
}

/** Reads the versions of all gateways and routes. */
export async function readVersions(db: EntityManager): Promise<GatewayVersions> {
  const [row]: GatewayVersions[] = await db.query(
    `SELECT (SELECT COALESCE(string_agg(id || ' ' || version, ',' ORDER BY id), '') FROM gateway) AS gateways,
            (SELECT COALESCE(string_agg(id || ' ' || version, ',' ORDER BY id), '') FROM route) AS routes`,
  );
  return row!;
}

/** Time after which the view of a worker that is silent is stale. */
const STALE = "interval '10 seconds'";

/** The view that one worker has of one gateway. */
export interface GatewayView {
  gatewayId: string;
  status: 'up' | 'connecting' | 'down' | 'closed';
  reason: string;
  since: Date;
  detail: Record<string, string | number | boolean | null>;
}

const VIEWS = rowset(
  'view',
  { gateway_id: 'uuid', status: 'text', reason: 'text', since: 'timestamptz', detail: 'jsonb' },
  2,
);

const UPSERT_STATES = sql`
  WITH gone AS (
    DELETE FROM gateway_state
     WHERE (gateway_id, worker_id) IN (
       SELECT gateway_id, worker_id
         FROM gateway_state
        WHERE seen_at < now() - ${STALE}
           OR worker_id = $1 AND gateway_id <> ALL ($2::uuid[])
          FOR UPDATE SKIP LOCKED
     )
  )
  INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
  SELECT view.gateway_id, $1, view.status, view.reason, view.since, view.detail
    FROM ${VIEWS.from}
    JOIN gateway g ON g.id = view.gateway_id
   ORDER BY view.gateway_id
  ON CONFLICT ON CONSTRAINT gateway_state_pkey DO UPDATE
     SET status = EXCLUDED.status,
         reason = EXCLUDED.reason,
         since = EXCLUDED.since,
         detail = EXCLUDED.detail,
         seen_at = now()`;

/** Writes the view of a worker, and deletes what it no longer has and what is stale. */
export async function upsertStates(db: EntityManager, workerId: string, views: GatewayView[]): Promise<void> {
  await db.query(UPSERT_STATES, [workerId, ...VIEWS.values(views)]);
}

/** Deletes the view of a worker that ends. */
export async function deleteStates(db: EntityManager, workerId: string): Promise<void> {
  await db.query(`DELETE FROM gateway_state WHERE worker_id = $1`, [workerId]);
}

/** The view of a worker that is alive. */
export interface WorkerView extends GatewayView {
  name: string;
  workerId: string;
  seenAt: Date;
}

/** Lists the views of living workers, by the gateway's name. */
export function listStates(db: EntityManager): Promise<WorkerView[]> {
  return db.query(
    `SELECT gs.gateway_id AS "gatewayId", g.name, gs.worker_id AS "workerId", gs.status, gs.reason, gs.since,
            gs.detail, gs.seen_at AS "seenAt"
       FROM gateway_state gs
       JOIN gateway g ON g.id = gs.gateway_id
      WHERE gs.seen_at >= now() - ${STALE}
      ORDER BY g.name, gs.worker_id`,
  );
}
