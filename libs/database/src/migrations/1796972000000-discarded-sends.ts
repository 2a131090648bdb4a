import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the sends that an operator discarded. Their recipients without a message failed, but have no row that says so: a
 * list of failed messages finds them here.
 */
export class DiscardedSends1796972000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE discarded_send (
         submission_id uuid CONSTRAINT discarded_send_pkey PRIMARY KEY,
         account_id uuid NOT NULL
       )`,
    );
    await runner.query(
      `INSERT INTO discarded_send (submission_id, account_id)
       SELECT id, account_id
         FROM submission
        WHERE cancelled_at IS NOT NULL
          AND fanned_out_at IS NOT NULL
          AND fanned_upto < cardinality(recipients)`,
    );
    await runner.query(
      `CREATE INDEX discarded_send_of_account ON discarded_send (account_id, submission_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE discarded_send');
  }
}
