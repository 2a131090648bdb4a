import type { MigrationInterface, QueryRunner } from 'typeorm';

/** [table, its name before] */
const TABLES = [
  ['message_event', 'delivery_report'],
  ['carrier_import', 'operator_import'],
  ['carrier_prefix', 'operator_prefix'],
] as const;

/** [table, column, its name before] */
const COLUMNS = [
  ['carrier_prefix', 'carrier', 'operator'],
  ['webhook', 'endpoint', 'end_point'],
  ['idempotency_key', 'resource_id', 'submission_id'],
] as const;

/**
 * Names tables and columns after what they hold: `message_event` also holds events that no gateway reported, and the id
 * in `idempotency_key` may be that of a verification. Nothing is rewritten: only the catalog changes.
 */
export class Names1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, before] of TABLES) await renameTable(runner, before, table);
    for (const [table, column, before] of COLUMNS) await renameColumn(runner, table, before, column);
    await runner.query(`ALTER INDEX message_event_told RENAME TO message_event_once`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER INDEX message_event_once RENAME TO message_event_told`);
    for (const [table, column, before] of COLUMNS) await renameColumn(runner, table, column, before);
    for (const [table, before] of TABLES) await renameTable(runner, table, before);
  }
}

async function renameTable(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  await renameConstraints(runner, to, from, to);
  const indexes: { name: string }[] = await runner.query(
    `SELECT i.indexrelid::regclass::text AS name
       FROM pg_index i
      WHERE i.indrelid = $1::regclass
        AND starts_with(i.indexrelid::regclass::text, $2 || '_')`,
    [to, from],
  );
  for (const { name } of indexes)
    await runner.query(`ALTER INDEX ${name} RENAME TO ${name.replace(from, to)}`);
}

async function renameColumn(runner: QueryRunner, table: string, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
  await renameConstraints(runner, table, `${table}_${from}`, `${table}_${to}`);
}

/** Renames the constraints whose names begin with `from`, those of NOT NULL too, and with a constraint its index. */
async function renameConstraints(
  runner: QueryRunner,
  table: string,
  from: string,
  to: string,
): Promise<void> {
  const constraints: { name: string }[] = await runner.query(
    `SELECT conname AS name
       FROM pg_constraint
      WHERE conrelid = $1::regclass
        AND starts_with(conname, $2 || '_')`,
    [table, from],
  );
  for (const { name } of constraints)
    await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${name} TO ${name.replace(from, to)}`);
}
