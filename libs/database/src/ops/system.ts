import { WORKER_KINDS, type WorkerCount } from '@signalbox/domain/worker-kinds';
import type { EntityManager } from 'typeorm';

/** Reads the clock of Postgres. */
export async function readClock(db: EntityManager): Promise<Date> {
  const [{ at }]: [{ at: Date }] = await db.query('SELECT clock_timestamp() AS at');
  return at;
}

/** The database of the installation. */
export interface DatabaseFacts {
  version: string;
  startedAt: Date;
  sizeBytes: number;
  connections: number;
  maxConnections: number;
  /** Age of the oldest transaction in seconds; null without one. */
  oldestTransactionSeconds: number | null;
  isReadOnly: boolean;
}

export async function readDatabaseFacts(db: EntityManager): Promise<DatabaseFacts> {
  const [row]: [DatabaseFacts] = await db.query(
    `SELECT current_setting('server_version') AS version,
            pg_postmaster_start_time() AS "startedAt",
            pg_database_size(current_database())::float8 AS "sizeBytes",
            (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
            current_setting('max_connections')::integer AS "maxConnections",
            (SELECT extract(epoch FROM now() - min(xact_start))::integer
               FROM pg_stat_activity
              WHERE backend_type = 'client backend'
                AND pid <> pg_backend_pid()) AS "oldestTransactionSeconds",
            pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly"`,
  );
  return row;
}

/** A table by its size, a partitioned one with its partitions. */
export interface TableFacts {
  name: string;
  /** As the planner estimates; null for a table that was never analyzed. */
  rows: number | null;
  bytes: number;
  /** Partitions of the table; 0 for a table without any. */
  partitions: number;
}

/** Lists the tables of the installation, the largest first. */
export function listTables(db: EntityManager): Promise<TableFacts[]> {
  return db.query(
    `SELECT c.relname AS name,
            sum(GREATEST(p.reltuples, 0))::float8 AS rows,
            sum(pg_total_relation_size(p.oid))::float8 AS bytes,
            count(*) FILTER (WHERE p.oid <> c.oid)::integer AS partitions
       FROM pg_class c
       JOIN pg_class p ON p.oid = c.oid OR EXISTS (
              SELECT
                FROM pg_inherits i
               WHERE i.inhrelid = p.oid
                 AND i.inhparent = c.oid
            )
      WHERE c.relnamespace = current_schema()::regnamespace
        AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition
      GROUP BY c.oid, c.relname
      ORDER BY bytes DESC, name`,
  );
}

/** Lists the names of the migrations that this database has, in their order. */
export async function listAppliedMigrations(db: EntityManager): Promise<string[]> {
  const rows: { name: string }[] = await db.query(`SELECT name FROM migration ORDER BY timestamp, name`);
  return rows.map(({ name }) => name);
}

/** Counts the live workers of each kind, also of one that has none. */
export async function countWorkers(db: EntityManager): Promise<WorkerCount[]> {
  const rows: WorkerCount[] = await db.query(
    `SELECT fleet, count(*)::integer AS workers
       FROM live_worker
      WHERE seen_at > now() - interval '3 seconds'
      GROUP BY fleet
      ORDER BY fleet`,
  );
  const live = new Map(rows.map(({ fleet, workers }) => [fleet, workers]));
  return Object.keys(WORKER_KINDS).map((fleet) => ({ fleet, workers: live.get(fleet) ?? 0 }));
}
