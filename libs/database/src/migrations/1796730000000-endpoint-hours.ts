import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the calls of each endpoint by hour, for its chart. */
export class EndpointHours1796730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE endpoint_hour (
         webhook_id uuid NOT NULL CONSTRAINT endpoint_hour_webhook REFERENCES webhook ON DELETE CASCADE,
         hour timestamptz NOT NULL,
         calls integer NOT NULL,
         failures integer NOT NULL,
         CONSTRAINT endpoint_hour_pkey PRIMARY KEY (webhook_id, hour)
       ) WITH (fillfactor = 50)`,
    );
    await runner.query(`CREATE INDEX endpoint_hour_age ON endpoint_hour (hour)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE endpoint_hour`);
  }
}
