import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['submission', 'message', 'message_event'];

/**
 * Lets vacuum pause as by the defaults of Postgres on the tables that grow with each message, and begin on TABLES after 5
 * instead of 2 % of their rows have changed. Without pauses it takes a core for seconds, each minute at a high rate. That
 * was for partial indexes which each message entered and left; now only rows that wait longer than usual do.
 */
export class PacedVacuum1796910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(
        `ALTER TABLE ${table} RESET (autovacuum_analyze_scale_factor, autovacuum_vacuum_cost_delay)`,
      );
      await runner.query(`ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.05)`);
    }
    for (const table of await pushTables(runner))
      await runner.query(`ALTER TABLE ${table} RESET (autovacuum_vacuum_cost_delay)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(
        `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
                                   autovacuum_vacuum_cost_delay = 0)`,
      );
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
