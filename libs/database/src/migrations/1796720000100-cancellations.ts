import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds cancellations: pending messages of many submissions that are cancelled step by step. */
export class Cancellations1796720000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE message_cancellation (
         id uuid CONSTRAINT message_cancellation_pkey PRIMARY KEY,
         account_id uuid NOT NULL CONSTRAINT message_cancellation_account REFERENCES account,
         status text NOT NULL
           CONSTRAINT message_cancellation_status CHECK (status IN ('RUNNING', 'DONE', 'STOPPED')),
         filter jsonb NOT NULL,
         from_id uuid NOT NULL,
         before_id uuid NOT NULL,
         total integer NOT NULL,
         examined integer NOT NULL DEFAULT 0,
         sends integer NOT NULL DEFAULT 0,
         cancelled integer NOT NULL DEFAULT 0,
         created_at timestamptz NOT NULL DEFAULT now(),
         finished_at timestamptz,
         CONSTRAINT message_cancellation_ended_has_time CHECK ((status = 'RUNNING') = (finished_at IS NULL))
       )`,
    );
    await runner.query(
      `CREATE INDEX message_cancellation_running ON message_cancellation (id) WHERE status = 'RUNNING'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE message_cancellation`);
  }
}
