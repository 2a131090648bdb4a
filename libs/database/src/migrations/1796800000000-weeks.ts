import { setTimeout } from 'node:timers/promises';
import { type MigrationInterface, QueryFailedError, type QueryRunner } from 'typeorm';

interface WeeklyTable {
  name: string;
  /** The column with the UUIDv7 that gives the week of a row. */
  key: string;
  primaryKey: string;
  /** [name, columns with the predicate] */
  indexes: readonly (readonly [name: string, definition: string])[];
}

const TABLES: readonly WeeklyTable[] = [
  {
    name: 'push',
    key: 'report_id',
    primaryKey: '(webhook_id, report_id)',
    indexes: [
      ['push_undelivered', `(webhook_id, report_id) WHERE status <> 'DELIVERED'`],
      ['push_waiting', '(webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL'],
    ],
  },
  {
    name: 'routing_event',
    key: 'id',
    primaryKey: '(id)',
    indexes: [['routing_event_message', '(submission_id, n)']],
  },
];

const DAY_MS = 86_400_000;

/** Weeks that a table with rows is left as it is, so that a migration that is interrupted leaves time to repeat it. */
const WEEKS_LEFT = 3;
/** As many as the duty of the workers wants, so that it need not lock the table while they start. */
const WEEKS_MADE = 6;

/** Attempts to get the lock of a table for the moment of its exchange. With the waits, they last some minutes. */
const LOCK_ATTEMPTS = 60;
const RETRY_MS = 1_000;

/**
 * Partitions the pushes and the decisions about gateways by week. A table with rows becomes the first partition as it
 * is, without a copy: a constraint that is validated while the service runs proves that its rows are older than a week
 * to come. An empty one is replaced. The table is locked only for the exchange, for milliseconds; a run that was
 * interrupted begins again with the table at which it was.
 */
export class Weeks1796800000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) if (!(await isPartitioned(runner, table))) await partition(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      if (await isPartitioned(runner, table)) await inOne(runner, () => merge(runner, table));
  }
}

async function isPartitioned(runner: QueryRunner, { name }: WeeklyTable): Promise<boolean> {
  const [row]: [{ kind: string }] = await runner.query(
    `SELECT relkind AS kind FROM pg_class WHERE oid = $1::regclass`,
    [name],
  );
  return row.kind === 'p';
}

async function partition(runner: QueryRunner, table: WeeklyTable): Promise<void> {
  const [thisWeek, end] = [mondayIn(0), mondayIn(WEEKS_LEFT)];
  const check = `${table.name}_before_weeks`;
  const dropCheck = `ALTER TABLE ${table.name} DROP CONSTRAINT IF EXISTS ${check}`;
  await whenUnlocked(() => runner.query(dropCheck)); // left by a run that was interrupted, with another week
  try {
    const rule = `CHECK (${table.key} < '${firstIdOf(end)}')`;
    await whenUnlocked(() =>
      runner.query(`ALTER TABLE ${table.name} ADD CONSTRAINT ${check} ${rule} NOT VALID`),
    );
    await whenUnlocked(() => runner.query(`ALTER TABLE ${table.name} VALIDATE CONSTRAINT ${check}`));
    await whenUnlocked(() => inOne(runner, () => exchange(runner, table, thisWeek, end)));
  } catch (error) {
    // it would refuse the rows of the week to come, if nobody repeated the migration until then
    if (!(await isPartitioned(runner, table))) await whenUnlocked(() => runner.query(dropCheck));
    throw error;
  }
}

/** Puts a partitioned table in the place of one, with that as its first partition when it has rows. */
async function exchange(runner: QueryRunner, table: WeeklyTable, thisWeek: Date, end: Date): Promise<void> {
  const { name } = table;
  await runner.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  const isKept = await hasRows(runner, name);
  const old = `${name}_until_${dateOf(end)}`;
  await renameAll(runner, table, name, old);
  await createParent(runner, table, old);
  if (isKept) {
    await runner.query(
      `ALTER TABLE ${name} ATTACH PARTITION ${old} FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(end)}')`,
    );
    await runner.query(`ALTER TABLE ${old} DROP CONSTRAINT ${name}_before_weeks`);
  }
  const options = await optionsOf(runner, old);
  await runner.query(`CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT ${options}`);
  const first = isKept ? end : thisWeek;
  for (let week = 0; week < WEEKS_MADE; week += 1) {
    const [from, to] = [addWeeks(first, week), addWeeks(first, week + 1)];
    await runner.query(
      `CREATE TABLE ${name}_${dateOf(from)} PARTITION OF ${name}
         FOR VALUES FROM ('${firstIdOf(from)}') TO ('${firstIdOf(to)}') ${options}`,
    );
  }
  if (!isKept) await runner.query(`DROP TABLE ${old}`);
}

/** Creates the partitioned table with the columns, checks, keys, indexes, owner and privileges of the old one. */
async function createParent(runner: QueryRunner, table: WeeklyTable, old: string): Promise<void> {
  const { name, key, primaryKey, indexes } = table;
  await runner.query(
    `CREATE TABLE ${name} (LIKE ${old} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (${key})`,
  );
  await runner.query(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${name}_before_weeks`);
  await runner.query(`ALTER TABLE ${name} ADD CONSTRAINT ${name}_pkey PRIMARY KEY ${primaryKey}`);
  for (const [index, definition] of indexes)
    await runner.query(`CREATE INDEX ${index} ON ${name} ${definition}`);
  await copyPrivileges(runner, old, name);
}

async function copyPrivileges(runner: QueryRunner, from: string, to: string): Promise<void> {
  const statements: { statement: string }[] = await runner.query(
    `SELECT format('ALTER TABLE %I OWNER TO %I', $2::text, pg_get_userbyid(relowner)) AS statement
       FROM pg_class
      WHERE oid = $1::regclass
      UNION ALL
     SELECT format(
              'GRANT %s ON %I TO %s%s', a.privilege_type, $2::text,
              CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
              CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
            )
       FROM pg_class c
      CROSS JOIN LATERAL aclexplode(c.relacl) AS a
      WHERE c.oid = $1::regclass`,
    [from, to],
  );
  for (const { statement } of statements) await runner.query(statement);
}

/** Makes one table of the partitions again. Only the rows that the first partition does not hold are copied. */
async function merge(runner: QueryRunner, table: WeeklyTable): Promise<void> {
  const { name, primaryKey, indexes } = table;
  await runner.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  const [first]: { old: string }[] = await runner.query(
    `SELECT c.relname AS old
       FROM pg_inherits i
       JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = $1::regclass
        AND c.relname LIKE '%_until_%'`,
    [name],
  );
  const whole = first?.old ?? `${name}_whole`;
  if (first) await runner.query(`ALTER TABLE ${name} DETACH PARTITION ${whole}`);
  else {
    const options = await optionsOf(runner, `${name}_default`);
    await runner.query(`CREATE TABLE ${whole} (LIKE ${name} INCLUDING ALL EXCLUDING INDEXES) ${options}`);
  }
  await runner.query(`INSERT INTO ${whole} SELECT * FROM ${name}`);
  await copyPrivileges(runner, name, whole);
  await runner.query(`DROP TABLE ${name}`);
  if (first) return renameAll(runner, table, whole, name);
  await runner.query(`ALTER TABLE ${whole} RENAME TO ${name}`);
  await runner.query(`ALTER TABLE ${name} ADD CONSTRAINT ${name}_pkey PRIMARY KEY ${primaryKey}`);
  for (const [index, definition] of indexes)
    await runner.query(`CREATE INDEX ${index} ON ${name} ${definition}`);
}

/** Renames a table with its indexes, which begin with its name. */
async function renameAll(runner: QueryRunner, table: WeeklyTable, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  for (const index of [`${table.name}_pkey`, ...table.indexes.map(([name]) => name)]) {
    const rest = index.slice(table.name.length);
    await runner.query(`ALTER INDEX ${from}${rest} RENAME TO ${to}${rest}`);
  }
}

async function hasRows(runner: QueryRunner, table: string): Promise<boolean> {
  const [row]: [{ found: boolean }] = await runner.query(`SELECT EXISTS (SELECT FROM ${table}) AS found`);
  return row.found;
}

/** The storage parameters of a table as a clause, empty without any. A partitioned table cannot have them. */
async function optionsOf(runner: QueryRunner, table: string): Promise<string> {
  const [row]: [{ options: string | null }] = await runner.query(
    `SELECT array_to_string(reloptions, ', ') AS options FROM pg_class WHERE oid = $1::regclass`,
    [table],
  );
  return row.options ? `WITH (${row.options})` : '';
}

async function inOne(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.query('BEGIN');
  try {
    await work();
    await runner.query('COMMIT');
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

/** Repeats what gets no lock, so that the check before it need not be validated again. */
async function whenUnlocked(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      const code = error instanceof QueryFailedError ? error.driverError.code : undefined;
      if (code !== '55P03' || attempt === LOCK_ATTEMPTS) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/** The Monday, 00:00 UTC, of the current week or one to come. */
function mondayIn(weeks: number): Date {
  const day = Math.floor(Date.now() / DAY_MS);
  const weekday = (day + 3) % 7; // the first day of the epoch was a Thursday
  return addWeeks(new Date((day - weekday) * DAY_MS), weeks);
}

function addWeeks(monday: Date, weeks: number): Date {
  return new Date(monday.getTime() + weeks * 7 * DAY_MS);
}

/** A date as the names of partitions end in. */
function dateOf(monday: Date): string {
  return monday.toISOString().slice(0, 10).replaceAll('-', '');
}

function firstIdOf(monday: Date): string {
  const hex = monday.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
