import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores what the pieces of a minute found, and where the next one begins. The previous version counts a minute by one
 * statement and reads none of this.
 */
export class StatisticsInPieces1796840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE message_stat_found (
         minute timestamptz NOT NULL,
         account_id uuid NOT NULL,
         channel text NOT NULL,
         gateway text NOT NULL,
         sender text NOT NULL,
         outcome text NOT NULL,
         err_code text NOT NULL,
         latency smallint NOT NULL,
         messages bigint NOT NULL,
         credits bigint NOT NULL,
         CONSTRAINT message_stat_found_pkey
           PRIMARY KEY (minute, account_id, channel, gateway, sender, outcome, err_code, latency)
       ) WITH (fillfactor = 70)`,
    );
    await runner.query(
      `ALTER TABLE message_stat_build
         ADD COLUMN next_id uuid,
         ADD COLUMN open bigint NOT NULL DEFAULT 0,
         ADD COLUMN is_whole boolean NOT NULL DEFAULT false,
         ADD COLUMN spent_ms integer NOT NULL DEFAULT 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE message_stat_build
         DROP COLUMN next_id,
         DROP COLUMN open,
         DROP COLUMN is_whole,
         DROP COLUMN spent_ms`,
    );
    await runner.query(`DROP TABLE message_stat_found`);
  }
}
