import type { MigrationInterface, QueryRunner } from 'typeorm';

const OFTEN_VACUUMED = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0`;

/**
 * Messages and reports that wait longer than usual get the time at which they are due; the others share a row of their
 * batch. Rows that the previous version stores, which knows no batches, get a time by default.
 */
export class DueTimes1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message ADD COLUMN due_at timestamptz, ADD COLUMN asks text`);
    await runner.query(`ALTER TABLE message ALTER COLUMN due_at SET DEFAULT now() + interval '11 seconds'`);
    await runner.query(`ALTER TABLE message SET (fillfactor = 30)`);
    await runner.query(`ALTER TABLE message_event ADD COLUMN due_at timestamptz`);
    await runner.query(
      `ALTER TABLE message_event ALTER COLUMN due_at SET DEFAULT now() + interval '10 seconds'`,
    );
    await runner.query(`ALTER TABLE message_event SET (fillfactor = 50)`);
    await runner.query(
      `CREATE TABLE claim_batch (
         id uuid NOT NULL DEFAULT uuidv7(),
         lane text NOT NULL,
         due_at timestamptz NOT NULL,
         messages integer NOT NULL,
         submission_ids uuid[] NOT NULL,
         froms integer[] NOT NULL,
         uptos integer[] NOT NULL,
         CONSTRAINT claim_batch_pkey PRIMARY KEY (id)
       ) WITH (${OFTEN_VACUUMED})`,
    );
    await runner.query(`CREATE INDEX claim_batch_due ON claim_batch (lane, due_at, id)`);
    await runner.query(
      `CREATE TABLE report_batch (
         id uuid NOT NULL DEFAULT uuidv7(),
         is_code boolean NOT NULL,
         due_at timestamptz NOT NULL,
         reports integer NOT NULL,
         ids uuid[] NOT NULL,
         CONSTRAINT report_batch_pkey PRIMARY KEY (id)
       ) WITH (${OFTEN_VACUUMED})`,
    );
    await runner.query(`CREATE INDEX report_batch_due ON report_batch (is_code, due_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE report_batch`);
    await runner.query(`DROP TABLE claim_batch`);
    await runner.query(`ALTER TABLE message_event DROP COLUMN due_at`);
    await runner.query(`ALTER TABLE message_event SET (fillfactor = 70)`);
    await runner.query(`ALTER TABLE message DROP COLUMN due_at, DROP COLUMN asks`);
    await runner.query(`ALTER TABLE message SET (fillfactor = 60)`);
  }
}
