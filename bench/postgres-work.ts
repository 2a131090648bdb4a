import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

/** Settings that make Postgres count its statements. */
export const COUNTING_SETTINGS = { shared_preload_libraries: 'pg_stat_statements' };

/** Counters of Postgres at one moment. */
export interface PostgresCounts {
  transactions: number;
  walBytes: number;
  updates: number;
  hotUpdates: number;
  /** Jobs of a queue on Postgres. */
  jobs: number;
  statements: Map<string, StatementCounts>;
}

interface StatementCounts {
  text: string;
  calls: number;
  rows: number;
  execMs: number;
}

/** One statement between two readings. */
interface StatementUse {
  name: string;
  calls: number;
  rows: number;
  /** Time from its start to its end, waits included. */
  execMs: number;
}

/** Work of Postgres between two readings. */
export interface PostgresWork {
  transactions: number;
  walBytes: number;
  updates: number;
  hotUpdates: number;
  jobs: number;
  /** The longest together first. */
  statements: StatementUse[];
}

const KEPT_STATEMENTS = 25;

/** 1 GB in segments of 16 MB: `min_wal_size` of the embedded Postgres. */
const LOG_SEGMENTS = 64;
const QUERIES = join(import.meta.dirname, '../libs/database/queries');

/** Lets `readPostgres` count statements in a database. */
export async function prepareCounting(db: pg.Client): Promise<void> {
  await db.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
}

/**
 * Gives Postgres 1 GB of log segments to use again, as a database has that has been up for a while. A new one fills each
 * with zeros when it comes to it, every 16 MB, and all commits wait for that.
 */
export async function prepareLog(db: { query: (text: string) => Promise<unknown> }): Promise<void> {
  for (let segment = 0; segment < LOG_SEGMENTS; segment++) {
    await db.query("SELECT pg_logical_emit_message(false, 'bench', 'bench')");
    await db.query('SELECT pg_switch_wal()');
  }
  await db.query('CHECKPOINT');
}

export async function readPostgres(db: pg.Client): Promise<PostgresCounts> {
  const { rows } = await db.query<Omit<PostgresCounts, 'statements'>>(
    `SELECT d.xact_commit::float8 AS transactions, w.wal_bytes::float8 AS "walBytes",
            t.updates::float8, t."hotUpdates"::float8, t.jobs::float8
       FROM pg_stat_database d, pg_stat_wal w,
            (SELECT sum(n_tup_upd) AS updates, sum(n_tup_hot_upd) AS "hotUpdates",
                    COALESCE(sum(n_tup_ins) FILTER (WHERE schemaname = 'bullmq' AND relname = 'job'), 0) AS jobs
               FROM pg_stat_user_tables) t
      WHERE d.datname = current_database()`,
  );
  return { ...rows[0]!, statements: await readStatements(db) };
}

export function workBetween(before: PostgresCounts, after: PostgresCounts): PostgresWork {
  const statements = [...after.statements].flatMap(([id, { text, calls, rows, execMs }]) => {
    const old = before.statements.get(id) ?? { calls: 0, rows: 0, execMs: 0 };
    return calls === old.calls
      ? []
      : [
          {
            name: nameOf(text),
            calls: calls - old.calls,
            rows: rows - old.rows,
            execMs: execMs - old.execMs,
          },
        ];
  });
  return {
    transactions: after.transactions - before.transactions,
    walBytes: after.walBytes - before.walBytes,
    updates: after.updates - before.updates,
    hotUpdates: after.hotUpdates - before.hotUpdates,
    jobs: after.jobs - before.jobs,
    statements: longest(statements),
  };
}

/** Adds up the work of several runs. */
export function addWork(works: readonly PostgresWork[]): PostgresWork {
  const sum = (field: Exclude<keyof PostgresWork, 'statements'>): number =>
    works.reduce((total, work) => total + work[field], 0);
  const byName = Map.groupBy(
    works.flatMap((work) => work.statements),
    ({ name }) => name,
  );
  const statements = [...byName].map(([name, uses]) => ({
    name,
    calls: uses.reduce((total, { calls }) => total + calls, 0),
    rows: uses.reduce((total, { rows }) => total + rows, 0),
    execMs: uses.reduce((total, { execMs }) => total + execMs, 0),
  }));
  return {
    transactions: sum('transactions'),
    walBytes: sum('walBytes'),
    updates: sum('updates'),
    hotUpdates: sum('hotUpdates'),
    jobs: sum('jobs'),
    statements: longest(statements),
  };
}

function longest(statements: StatementUse[]): StatementUse[] {
  return statements.toSorted((a, b) => b.execMs - a.execMs).slice(0, KEPT_STATEMENTS);
}

async function readStatements(db: pg.Client): Promise<Map<string, StatementCounts>> {
  const { rows } = await db.query<StatementCounts & { id: string }>(
    `SELECT s.userid || ' ' || s.queryid AS id, s.query AS text, s.calls::float8, s.rows::float8, s.total_exec_time AS "execMs"
       FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
      WHERE s.toplevel`,
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

let names: [string, string][] | undefined;

/** The function of `libs/database` that sends a statement, or the beginning of its text. */
function nameOf(text: string): string {
  names ??= readdirSync(QUERIES).flatMap(namesIn);
  const key = keyOf(text);
  let [found, most] = [text.replace(/\s+/g, ' ').trim().slice(0, 60), LEAST_COMMON];
  for (const [kept, name] of names) {
    if (kept === key) return name;
    const common = commonStart(kept, key);
    if (common > most) [found, most] = [name, common];
  }
  return found;
}

/** A statement takes the name of a kept one when they begin alike for more characters than these. */
const LEAST_COMMON = 60;

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** The statements of a kept file, each with the name of the file. */
function namesIn(file: string): [string, string][] {
  const name = file.replace(/^[a-z]+-/, '').replace(/\.sql$/, '');
  const text = readFileSync(join(QUERIES, file), 'utf8');
  return text.split(/;\s*$/m).map((statement) => [keyOf(statement), name]);
}

/** A statement without comments, blanks and values: the server replaces constants, and shortens lists of them. */
function keyOf(text: string): string {
  return text
    .replace(/--.*$|\/\*.*?\*\//gm, '')
    .replace(/'[^']*'|\$\d+|\b\d+(\.\d+)?\b/g, '?')
    .replace(/\s+/g, '')
    .replace(/\?(,\?)+/g, '?');
}
