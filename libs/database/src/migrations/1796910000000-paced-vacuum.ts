import type { MigrationInterface, QueryRunner } from 'typeorm';

const EAGER = 'autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0';

/**
 * Vacuum of the tables of messages goes at the pace of Postgres' defaults, after 5 instead of 2 % of a table has
 * changed. It ran without pauses while partial indexes of open rows depended on it. They have none any more, and a
 * vacuum without pauses takes a core for seconds, each minute at a high rate.
 */
export class PacedVacuum1796910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['submission', 'message', 'message_event']) {
      await runner.query(
        `ALTER TABLE ${table} RESET (autovacuum_analyze_scale_factor, autovacuum_vacuum_cost_delay)`,
      );
      await runner.query(`ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.05)`);
    }
    for (const table of await pushTables(runner))
      await runner.query(`ALTER TABLE ${table} RESET (autovacuum_vacuum_cost_delay)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['submission', 'message', 'message_event'])
      await runner.query(`ALTER TABLE ${table} SET (${EAGER}, autovacuum_vacuum_scale_factor = 0.02)`);
    for (const table of await pushTables(runner))
      await runner.query(`ALTER TABLE ${table} SET (autovacuum_vacuum_cost_delay = 0)`);
  }
}

/** The partitions of `push`, the default one included. */
async function pushTables(runner: QueryRunner): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(
    `SELECT relid::regclass::text AS name FROM pg_partition_tree('push') WHERE isleaf`,
  );
  return rows.map(({ name }) => name);
}
