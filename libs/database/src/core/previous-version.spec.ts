import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { openRows } from '@signalbox/test/rows';
import { DataSource, type EntityManager } from 'typeorm';
import * as migrations from '../migrations/list.ts';
import { dataSourceOptions } from './data-source.ts';

/*
 * The previous version of the code serves while a migration runs, and until the last process is replaced. A migration
 * removes no column that it reads, and requires no value that it does not write.
 */

/** Timestamp of the last migration before this rule. */
const EXEMPT = '1796890000000';

/** Permitted breaks as `Migration: finding`, each with the reason why the previous version does not notice it. */
const ALLOWED: Record<string, string> = {};

const timestampOf = ({ name }: { name: string }): string => name.slice(-EXEMPT.length);

/** In the order in which they run. */
const MIGRATIONS = Object.values(migrations).toSorted((a, b) => timestampOf(a).localeCompare(timestampOf(b)));

interface Column {
  table: string;
  name: string;
  type: string;
  isNotNull: boolean;
  hasDefault: boolean;
}

test('no migration breaks the statements of the previous version', async () => {
  const found: string[] = [];
  await using schemas = await openSchemas();
  let before = await schemas.upTo(EXEMPT);
  for (const migration of MIGRATIONS.filter((each) => timestampOf(each) > EXEMPT)) {
    const after = await schemas.upTo(timestampOf(migration));
    found.push(...breaks(before, after).map((finding) => `${migration.name}: ${finding}`));
    before = after;
  }

  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});

test.each<[string, string[]]>([
  ['DROP TABLE opt_out', ['opt_out is gone']],
  ['ALTER TABLE opt_out RENAME TO refusal', ['opt_out is gone']],
  ['ALTER TABLE account DROP COLUMN paused_at', ['account.paused_at is gone']],
  ['ALTER TABLE account RENAME COLUMN paused_at TO held_at', ['account.paused_at is gone']],
  ['ALTER TABLE account ALTER COLUMN paused_at SET NOT NULL', ['account.paused_at refuses null']],
  ['ALTER TABLE account ADD COLUMN region text NOT NULL', ['account.region has no default']],
  ['ALTER TABLE account ALTER COLUMN limits DROP DEFAULT', ['account.limits has no default']],
  [
    'ALTER TABLE account ALTER COLUMN sms_per_second TYPE bigint',
    ['account.sms_per_second changes its type'],
  ],
  ['ALTER TABLE account ADD COLUMN region text', []],
  [`ALTER TABLE account ADD COLUMN region text NOT NULL DEFAULT ''`, []],
  ['ALTER TABLE account ALTER COLUMN name DROP NOT NULL', []],
  ['CREATE TABLE region (name text NOT NULL)', []],
])('%s breaks %p', async (statement, findings) => {
  await using rows = await openRows();
  const before = await readColumns(rows.db);

  await rows.db.query(statement);

  expect(breaks(before, await readColumns(rows.db))).toEqual(findings);
});

/** Lists removed tables and columns, and columns that newly require a value. */
function breaks(before: Column[], after: Column[]): string[] {
  const keyOf = ({ table, name }: Column) => `${table}.${name}`;
  const [old, now] = [before, after].map((columns) => new Map(columns.map((each) => [keyOf(each), each])));
  const [oldTables, tables] = [before, after].map((columns) => new Set(columns.map(({ table }) => table)));
  const goneTables = [...oldTables!].filter((table) => !tables!.has(table));
  const goneColumns = [...old!].filter(([key, { table }]) => tables!.has(table) && !now!.has(key));
  return [
    ...goneTables.map((table) => `${table} is gone`),
    ...goneColumns.map(([key]) => `${key} is gone`),
    ...after
      .filter(({ table }) => oldTables!.has(table))
      .flatMap((column) => narrowed(old!.get(keyOf(column)), column).map((how) => `${keyOf(column)} ${how}`)),
  ];
}

/** @param old undefined for a new column, which the previous version leaves out */
function narrowed(old: Column | undefined, { type, isNotNull, hasDefault }: Column): string[] {
  const mustBeWritten = isNotNull && !hasDefault;
  return [
    ...(old && old.type !== type ? ['changes its type'] : []),
    ...(old && !old.isNotNull && isNotNull ? ['refuses null'] : []),
    ...(mustBeWritten && (!old || old.hasDefault) ? ['has no default'] : []),
  ];
}

/** Opens an empty database, which is migrated step by step. */
async function openSchemas() {
  const database = await createDatabase();
  const options = dataSourceOptions({
    url: database.url,
    applicationName: 'schemas',
    poolSize: 1,
    commit: 'durable',
  });
  await withSource(options, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  return {
    /** Migrates up to the migration of a timestamp. @returns the columns that it leaves */
    upTo: (timestamp: string): Promise<Column[]> =>
      withSource(
        { ...options, migrations: MIGRATIONS.filter((each) => timestampOf(each) <= timestamp) },
        async (source) => {
          await source.runMigrations({ transaction: 'each' });
          return readColumns(source.manager);
        },
      ),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function withSource<R>(
  options: ReturnType<typeof dataSourceOptions>,
  use: (source: DataSource) => Promise<R>,
): Promise<R> {
  const source = await new DataSource(options).initialize();
  try {
    return await use(source);
  } finally {
    await source.destroy();
  }
}

function readColumns(db: EntityManager): Promise<Column[]> {
  return db.query(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
            a.attnotnull AS "isNotNull", a.atthasdef OR a.attidentity <> '' AS "hasDefault"
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition
        AND c.relname <> 'migration'
        AND a.attnum > 0
        AND NOT a.attisdropped
      ORDER BY c.relname, a.attnum`,
  );
}
