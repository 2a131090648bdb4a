import type { MigrationInterface, QueryRunner } from 'typeorm';

const OFTEN_VACUUMED = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0`;

/**
 * Reports whose first pushes wait until those of their account have ended. The previous version does not read the
 * table: its rescue finds the reports.
 */
export class DeferredReports1796819000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE deferred_batch (
         id uuid NOT NULL DEFAULT uuidv7(),
         is_code boolean NOT NULL,
         account_id uuid NOT NULL,
         oldest uuid NOT NULL,
         pushes integer NOT NULL,
         reports integer NOT NULL,
         ids uuid[] NOT NULL,
         starts smallint NOT NULL DEFAULT 0,
         claimed_until timestamptz,
         CONSTRAINT deferred_batch_pkey PRIMARY KEY (id)
       ) WITH (fillfactor = 70, ${OFTEN_VACUUMED})`,
    );
    await runner.query(
      `CREATE INDEX deferred_batch_of_account ON deferred_batch (is_code, account_id, oldest, id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE deferred_batch`);
  }
}
