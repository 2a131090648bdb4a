import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The live workers, which divide limits among themselves. Its few rows are rewritten each second. */
export class LiveWorkers1795050000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE live_worker (
         fleet text NOT NULL,
         id uuid NOT NULL,
         seen_at timestamptz NOT NULL,
         CONSTRAINT live_worker_pkey PRIMARY KEY (fleet, id)
       ) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 1000)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE live_worker`);
  }
}
