import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A code may go over one channel and, when it does not arrive there, over another. A verification with more than one
 * message has rows for its steps. A pending step holds the sealed content of its submission.
 */
export class VerificationFlow1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE verification_config
     ADD COLUMN flow jsonb NOT NULL DEFAULT '[{"channel": "sms", "afterSeconds": 0}]'
       CONSTRAINT verification_config_flow CHECK (jsonb_array_length(flow) BETWEEN 1 AND 2),
     ADD COLUMN stop_on text NOT NULL DEFAULT 'delivered' CONSTRAINT verification_config_stop_on CHECK (stop_on IN ('verified', 'delivered')),
     ADD COLUMN template jsonb,
     ALTER COLUMN sender DROP NOT NULL,
     ADD CONSTRAINT verification_config_sender CHECK (sender IS NOT NULL OR NOT flow @> '[{"channel": "sms"}]'),
     ADD CONSTRAINT verification_config_template CHECK (template IS NOT NULL OR NOT flow @> '[{"channel": "chatapp"}]'),
     DROP COLUMN channel`,
  `ALTER TABLE verification_config ALTER COLUMN flow DROP DEFAULT, ALTER COLUMN stop_on DROP DEFAULT`,
  // status: WAITING for its time; SENT once its submission is stored; STOPPED when it was not needed; SKIPPED when it
  // could not be taken.
  `CREATE TABLE verification_step (
     verification_id uuid NOT NULL,
     step smallint NOT NULL,
     account_id uuid NOT NULL,
     channel text NOT NULL CONSTRAINT verification_step_channel CHECK (channel IN ('sms', 'chatapp')),
     status text NOT NULL CONSTRAINT verification_step_status CHECK (status IN ('WAITING', 'SENT', 'STOPPED', 'SKIPPED')),
     reason text,
     due_at timestamptz NOT NULL,
     stops_on_delivery boolean NOT NULL,
     submission_id uuid,
     message jsonb,
     sealed bytea,
     CONSTRAINT verification_step_pkey PRIMARY KEY (verification_id, step),
     CONSTRAINT verification_step_message CHECK ((status = 'WAITING') = (message IS NOT NULL AND sealed IS NOT NULL)),
     CONSTRAINT verification_step_sealed CHECK (status = 'WAITING' OR sealed IS NULL),
     CONSTRAINT verification_step_submission CHECK ((status = 'SENT') = (submission_id IS NOT NULL))
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX verification_step_waiting ON verification_step (verification_id) WHERE status = 'WAITING'`,
  `CREATE INDEX verification_step_due ON verification_step (due_at) WHERE status = 'WAITING'`,
];

const DOWN = [
  `DROP TABLE verification_step`,
  `DELETE FROM verification_config WHERE flow @> '[{"channel": "chatapp"}]'`,
  `ALTER TABLE verification_config
     ADD COLUMN channel text NOT NULL DEFAULT 'sms' CONSTRAINT verification_config_channel CHECK (channel IN ('sms')),
     DROP CONSTRAINT verification_config_sender,
     ALTER COLUMN sender SET NOT NULL,
     DROP COLUMN flow, DROP COLUMN stop_on, DROP COLUMN template`,
  `ALTER TABLE verification_config ALTER COLUMN channel DROP DEFAULT`,
];
