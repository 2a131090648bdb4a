import { OLDEST_POSTGRES, listPendingMigrations } from '@signalbox/database/core/migrate';
import { POOLED_SETTINGS } from '@signalbox/database/core/session-settings';
import type { DataSource } from 'typeorm';
import { type Finding, counted, findingsOf } from './finding.ts';

const MAX_SKEW_SECONDS = 1;

/** Hours after which an open transaction keeps dead rows for too long. */
const MAX_TRANSACTION_HOURS = 1;

/** Settings without which an answered request may be lost, and their value. */
const DURABLE = { fsync: 'on', full_page_writes: 'on' };

interface Server {
  number: number;
  version: string;
  isReadOnly: boolean;
  epoch: number;
  size: string;
  settings: Record<string, string>;
  connections: number;
  hasTables: boolean;
  /** Tables that another role owns. */
  foreignTables: number;
  /** The role that owns them. */
  owner: string | null;
  role: string;
  oldestHours: number;
}

const SERVER = `
  SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
         pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
         extract(epoch FROM clock_timestamp())::float8 AS epoch,
         pg_size_pretty(pg_database_size(current_database())) AS size,
         to_regclass('migration') IS NOT NULL AS "hasTables",
         (SELECT jsonb_object_agg(name, setting) FROM pg_settings
           WHERE name IN ('fsync', 'full_page_writes', 'max_connections', 'autovacuum')) AS settings,
         (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
         (SELECT COALESCE(extract(epoch FROM now() - min(xact_start)) / 3600, 0)::float8 FROM pg_stat_activity
           WHERE backend_type = 'client backend') AS "oldestHours",
         foreign_table.tables AS "foreignTables", foreign_table.owner, current_user AS role
    FROM (SELECT count(*)::integer AS tables, min(tableowner) AS owner FROM pg_tables
           WHERE schemaname = current_schema() AND NOT pg_has_role(current_user, tableowner, 'USAGE')) AS foreign_table`;

/** Finds the data folder of a server on this machine, if the role may see it. */
export async function findDataFolder(db: DataSource): Promise<string | null> {
  const [row]: [{ folder: string | null; isLocal: boolean }] = await db.query(
    `SELECT (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS folder,
            COALESCE(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS "isLocal"`,
  );
  return row.isLocal ? row.folder : null;
}

/** Checks version, durability, clock, connections and schema of the database. */
export async function checkPostgres(db: DataSource): Promise<Finding[]> {
  const before = Date.now();
  const [server] = (await db.query(SERVER)) as [Server];
  const took = Date.now() - before;
  return [
    ...checkServer(server),
    ...checkCare(server),
    ...checkClock(server.epoch, before, took),
    ...(await checkSession(db)),
    ...(server.number < OLDEST_POSTGRES ? [] : await checkSchema(db, server.hasTables)),
  ];
}

function checkServer({ number, version, isReadOnly, size, settings, connections }: Server): Finding[] {
  const max = Number(settings['max_connections']);
  const weak = Object.entries(DURABLE).filter(([name, value]) => settings[name] !== value);
  return findingsOf(
    'postgres',
    `Postgres ${version}, ${size}, ${connections} of ${max} connections in use.`,
    [
      number < OLDEST_POSTGRES && {
        level: 'problem',
        text: `Postgres ${version} is too old. Upgrade to Postgres 18 or newer.`,
      },
      isReadOnly && {
        level: 'problem',
        text: 'The server is read-only, as a standby is. Let DATABASE_URL lead to the primary.',
      },
      ...weak.map(([name, value]) => ({
        level: 'problem' as const,
        text: `${name} is off: a crash of the machine loses accepted messages. Set ${name} = ${value}.`,
      })),
      connections > max * 0.8 && {
        level: 'warning',
        text: `${connections} of ${max} connections are in use. Raise max_connections, or lower DATABASE_POOL_SIZE.`,
      },
    ],
  );
}

/** Checks what keeps the tables in order over months. */
function checkCare({ settings, foreignTables, owner, role, oldestHours }: Server): Finding[] {
  return findingsOf('tables', 'Autovacuum is on, and no old transaction is in its way.', [
    settings['autovacuum'] !== 'on' && {
      level: 'problem',
      text: 'autovacuum is off: tables grow, and statements become slow. Set autovacuum = on.',
    },
    oldestHours > MAX_TRANSACTION_HOURS && {
      level: 'warning',
      text: `A transaction has been open for ${oldestHours.toFixed(1)} hours: vacuum cannot remove dead rows. Find it by xact_start in pg_stat_activity, and end it.`,
    },
    foreignTables > 0 && {
      level: 'problem',
      text: `${role} does not own ${counted(foreignTables, 'table')}, but ${owner} does: it can neither migrate nor make partitions. Run as a superuser: REASSIGN OWNED BY "${owner}" TO "${role}";`,
    },
  ]);
}

/** A pooler may drop the settings that each connection asks for; then the database must have them by itself. */
async function checkSession(db: DataSource): Promise<Finding[]> {
  const names = Object.keys(POOLED_SETTINGS);
  const [row]: [{ database: string; settings: Record<string, string> }] = await db.query(
    `SELECT current_database() AS database, jsonb_object_agg(name, current_setting(name)) AS settings
       FROM unnest($1::text[]) AS wanted(name)`,
    [names],
  );
  const missing = names.filter((name) => row.settings[name] !== POOLED_SETTINGS[name]);
  const statements = missing.map(
    (name) => `ALTER DATABASE "${row.database}" SET ${name} = '${POOLED_SETTINGS[name]}';`,
  );
  if (missing.length === 0) return [];
  const text = `A pooler drops settings that Signalbox needs: without them accepted messages may be lost, statements hang, or figures be wrong. Run: ${statements.join(' ')}`;
  return [{ part: 'session', level: 'problem', text }];
}

/** The server's clock was read somewhere between `before` and the answer. */
function checkClock(epoch: number, before: number, took: number): Finding[] {
  const skew = epoch - (before + took / 2) / 1_000;
  const isOff = Math.abs(skew) > MAX_SKEW_SECONDS + took / 2_000;
  return findingsOf('clock', 'The clocks of Postgres and this machine agree.', [
    isOff && {
      level: 'warning',
      text: `The clock of Postgres is ${Math.abs(skew).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} this machine's. Synchronise both with NTP.`,
    },
  ]);
}

function describePending([first, ...others]: string[]): string {
  if (others.length === 0) return `1 migration is pending, ${first}`;
  return `${others.length + 1} migrations are pending, the first is ${first}`;
}

async function checkSchema(db: DataSource, hasTables: boolean): Promise<Finding[]> {
  const pending = hasTables ? await listPendingMigrations(db) : ['all'];
  const text = hasTables
    ? `${describePending(pending)}. Run the command migrate.`
    : 'The database is empty. Run the command migrate.';
  return findingsOf('schema', 'The database has the schema of this version.', [
    pending.length > 0 && { level: 'problem', text },
  ]);
}
