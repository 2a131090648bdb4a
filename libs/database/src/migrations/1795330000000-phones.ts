import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the messages of the simulator's phones, kept for an hour, with every text sealed. */
export class Phones1795330000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE phone_message (
         submission_id uuid NOT NULL,
         n integer NOT NULL,
         account_id uuid NOT NULL,
         recipient text COLLATE "C" NOT NULL,
         sender text NOT NULL,
         sealed_text bytea NOT NULL,
         received_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT phone_message_pkey PRIMARY KEY (submission_id, n)
       )`,
    );
    await runner.query(
      `CREATE INDEX phone_message_of_phone ON phone_message (account_id, recipient, submission_id, n)`,
    );
    await runner.query(`CREATE INDEX phone_message_age ON phone_message (received_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE phone_message');
  }
}
