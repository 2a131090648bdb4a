import type { MigrationInterface, QueryRunner } from 'typeorm';

const OFTEN_VACUUMED = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0`;

/**
 * Ready submissions are rows of small tables. A submission that the previous version stores is not listed in them, and
 * is found by that.
 */
export class ReadyTables1796500200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submission ADD COLUMN listed boolean NOT NULL DEFAULT true`);
    await runner.query(`ALTER TABLE submission ALTER COLUMN listed SET DEFAULT false`);
    await runner.query(`ALTER TABLE submission SET (fillfactor = 45)`);
    await runner.query(
      `CREATE TABLE ready_sms (
         lane text NOT NULL,
         account_id uuid NOT NULL,
         id uuid NOT NULL,
         CONSTRAINT ready_sms_pkey PRIMARY KEY (lane, account_id, id)
       ) WITH (${OFTEN_VACUUMED})`,
    );
    await runner.query(
      `CREATE TABLE ready_chat (
         lane text NOT NULL,
         sender text NOT NULL,
         id uuid NOT NULL,
         account_id uuid NOT NULL,
         CONSTRAINT ready_chat_pkey PRIMARY KEY (lane, sender, id)
       ) WITH (${OFTEN_VACUUMED})`,
    );
    await runner.query(`CREATE INDEX ready_chat_of_account ON ready_chat (account_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ready_chat`);
    await runner.query(`DROP TABLE ready_sms`);
    await runner.query(`ALTER TABLE submission DROP COLUMN listed`);
    await runner.query(`ALTER TABLE submission SET (fillfactor = 70)`);
  }
}
