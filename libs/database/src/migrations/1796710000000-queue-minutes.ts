import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the runs and the backlog of each queue by minute, for a day. */
export class QueueMinutes1796710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE queue_minute (
         minute timestamptz NOT NULL,
         queue text NOT NULL,
         completed integer NOT NULL,
         failed integer NOT NULL,
         waiting integer,
         active integer,
         delayed integer,
         CONSTRAINT queue_minute_pkey PRIMARY KEY (minute, queue)
       ) WITH (fillfactor = 50)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE queue_minute`);
  }
}
