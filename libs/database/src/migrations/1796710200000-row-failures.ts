import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes the last error of rows that fail, so that an operator sees why one is parked. */
export class RowFailures1796710200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE row_failure (
         kind text NOT NULL,
         id uuid NOT NULL,
         error text NOT NULL,
         failed_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT row_failure_pkey PRIMARY KEY (kind, id)
       )`,
    );
    await runner.query(`CREATE INDEX row_failure_age ON row_failure (failed_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE row_failure`);
  }
}
