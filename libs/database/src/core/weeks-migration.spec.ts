import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { firstIdAt } from '@signalbox/domain/id-time';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { DataSource } from 'typeorm';
import { dropWeek, makeWeeks } from '../ops/weeks.ts';
import { deleteOldest } from '../ops/retention.ts';
import { recordPushes } from '../webhooks/pushes.ts';
import { dataSourceOptions } from './data-source.ts';
import { migrate } from './migrate.ts';

const ACCOUNT = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e01';
const WEBHOOK = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e02';
const DAY_MS = 86_400_000;
const ROWS = 500;

let database: TestDatabase;
let source: DataSource;
/** A process of the previous version, on one connection. */
let process: DataSource;
/** The table of pushes in the catalog before the migration. */
let before: Facts;

/** Fills the tables of the previous version, leaves a migration that was interrupted, and migrates during a lock. */
beforeAll(async () => {
  database = await createDatabase();
  const options = { url: database.url, applicationName: 'weeks', poolSize: 2, commit: 'durable' } as const;
  source = await new DataSource(dataSourceOptions(options)).initialize();
  while (await isPartitioned()) await source.undoLastMigration({ transaction: 'none' });
  await fill();
  before = await readFacts('push');
  process = await new DataSource(dataSourceOptions({ ...options, poolSize: 1 })).initialize();
  await storePush(Date.now());
  await source.query(
    `ALTER TABLE push ADD CONSTRAINT push_before_weeks CHECK (report_id > webhook_id) NOT VALID`,
  );
  await migrateWhileLocked();
});
afterAll(async () => {
  await process.destroy();
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

test('a table with rows becomes the first partition without a copy', async () => {
  const old = (await listPartitions('push')).find((name) => name.includes('_until_'));
  const after = await readFacts(old!);

  expect(after.file).toBe(before.file);
  expect(after.columns).toEqual(before.columns);
  expect((await readFacts('push')).columns).toEqual(before.columns);
  expect(await count('push')).toBe(ROWS + 1);
  expect(await count(old!)).toBe(ROWS + 1);
  expect(await count('push_default')).toBe(0);
});

test('every partition has the keys, checks and settings of the table before', async () => {
  const table = await readFacts('push');
  expect(table.privileges).toEqual(before.privileges);
  expect(table.constraints).toEqual(before.constraints);
  expect(table.indexes).toEqual(before.indexes);
  const settings = before.options!.replace(',autovacuum_vacuum_cost_delay=0', ''); // a later migration drops it
  for (const partition of await listPartitions('push')) {
    const { options, checks, indexes } = await readFacts(partition);
    expect([partition, options, checks]).toEqual([partition, settings, before.checks]);
    expect(indexes).toHaveLength(before.indexes.length);
  }
  expect(await listInvalidIndexes()).toEqual([]);
});

test('statements that a process prepared before the migration still work', async () => {
  await storePush(Date.now());
  await storePush(Date.now() + 40 * DAY_MS);

  expect(await count('push')).toBe(ROWS + 3);
  expect(await count('push_default')).toBe(0);
});

test('old rows of the first partition are deleted one by one, and it is dropped after its end', async () => {
  await deleteOldest(source.manager, 89);
  expect(await count('push')).toBe(3);
  expect(await count('routing_event')).toBe(0);

  expect(await source.transaction((db) => dropWeek(db, 7))).toBe(0);
  await source.transaction(makeWeeks);
  await source.query('DELETE FROM message_event');
  expect(await source.transaction((db) => dropWeek(db, -30))).toBe(1);

  expect((await listPartitions('push')).filter((name) => name.includes('_until_'))).toEqual([]);
  expect(await count('push')).toBe(1);
});

test('the previous version gets back one table with all rows, whichever partitions there are', async () => {
  const partitions = await count('push');
  while (await isPartitioned()) await source.undoLastMigration({ transaction: 'none' });

  expect(await count('push')).toBe(partitions);
  const { file: _, ...facts } = await readFacts('push');
  const { file: __, ...expected } = before;
  expect(facts).toEqual(expected);
});

async function fill(): Promise<void> {
  const id = `rpad(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 90 * ${DAY_MS}::bigint + n), 12, '0')
                || '70008', 32, '0')::uuid`;
  await source.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [ACCOUNT]);
  await source.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     VALUES ($1, $2, 'webhook', 'sms', 'any', 'POST', 'http://127.0.0.1:9', '[]', '{}', 4, '')`,
    [WEBHOOK, ACCOUNT],
  );
  await source.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts)
     SELECT ${id}, $1, $2, 'DELIVERED', 1 FROM generate_series(1, ${ROWS}) AS n`,
    [WEBHOOK, ACCOUNT],
  );
  await source.query(
    `INSERT INTO routing_event (id, submission_id, n, event, gateway, reason)
     SELECT ${id}, $1, 1, 'ROUTED', 'first', '' FROM generate_series(1, ${ROWS}) AS n`,
    [ACCOUNT],
  );
  await source.query('GRANT SELECT, INSERT ON push TO PUBLIC');
}

/** Migrates while a transaction of the service has a lock that the migration fails to get at least once. */
async function migrateWhileLocked(): Promise<void> {
  const countFailures = async (): Promise<number> => {
    const [row]: [{ count: number }] = await source.query(
      `SELECT xact_rollback::integer AS count FROM pg_stat_database WHERE datname = current_database()`,
    );
    return row.count;
  };
  const failures = await countFailures();
  let migrated: Promise<void> | undefined;
  await source.transaction(async (service) => {
    await service.query('LOCK TABLE push IN ROW EXCLUSIVE MODE');
    migrated = migrate(database.url);
    migrated.catch(() => undefined);
    await waitFor(async () => (await countFailures()) > failures, {
      otherwise: 'the migration did not give up its wait for the lock',
    });
  });
  await migrated;
  await migrate(database.url);
}

function storePush(time: number): Promise<void> {
  const reportId = firstIdAt(time).replace('-0000-0000-', '-7000-8000-');
  const key = { reportId, webhookId: WEBHOOK, accountId: ACCOUNT };
  const outcome = { status: 'DELIVERED', attempts: 1, nextDelayMs: null, responseStatus: 200 } as const;
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  const call = {
    error: null,
    durationMs: 3,
    timings,
    answer: '',
    requestHeaders: null,
    failedAttempt: false,
  };
  return recordPushes(process.manager, [reportId], [{ ...key, ...outcome, ...call }]);
}

async function isPartitioned(): Promise<boolean> {
  const [row]: [{ kind: string }] = await source.query(
    `SELECT relkind AS kind FROM pg_class WHERE oid = 'push'::regclass`,
  );
  return row.kind === 'p';
}

async function count(table: string): Promise<number> {
  const [row]: [{ count: number }] = await source.query(`SELECT count(*)::integer AS count FROM ${table}`);
  return row.count;
}

async function listPartitions(table: string): Promise<string[]> {
  const rows: { name: string }[] = await source.query(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** A table's indexes are valid when each partition has its part of them. */
async function listInvalidIndexes(): Promise<string[]> {
  const rows: { name: string }[] = await source.query(
    `SELECT indexrelid::regclass::text AS name
       FROM pg_index
      WHERE indrelid IN ('push'::regclass, 'routing_event'::regclass) AND NOT indisvalid`,
  );
  return rows.map(({ name }) => name);
}

interface Facts {
  file: string;
  options: string | null;
  privileges: string[];
  columns: string[];
  checks: string[];
  constraints: string[];
  indexes: string[];
}

async function readFacts(table: string): Promise<Facts> {
  const [facts]: [Facts] = await source.query(
    `SELECT relfilenode AS file,
            reloptions::text AS options,
            ARRAY(SELECT a::text FROM aclexplode(relacl) AS a ORDER BY 1) AS privileges,
            ARRAY(SELECT attname || ' ' || atttypid::regtype || ' ' || attnotnull
                    FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 ORDER BY attnum) AS columns,
            ARRAY(SELECT conname || pg_get_constraintdef(oid)
                    FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' ORDER BY 1) AS checks,
            ARRAY(SELECT conname || pg_get_constraintdef(oid)
                    FROM pg_constraint WHERE conrelid = c.oid AND contype <> 'n' ORDER BY 1) AS constraints,
            ARRAY(SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
                    FROM pg_index WHERE indrelid = c.oid ORDER BY 1) AS indexes
       FROM pg_class c
      WHERE c.oid = $1::regclass`,
    [table],
  );
  return facts;
}
