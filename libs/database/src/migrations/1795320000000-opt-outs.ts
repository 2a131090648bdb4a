import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds recipients who want no messages of an account as a whole (no sender) or of one of its senders. */
export class OptOuts1795320000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE opt_out (
         account_id uuid NOT NULL CONSTRAINT opt_out_account REFERENCES account,
         recipient text COLLATE "C" NOT NULL,
         sender text COLLATE "C" NOT NULL,
         id uuid NOT NULL CONSTRAINT opt_out_id UNIQUE,
         source text NOT NULL,
         reason text,
         created_at timestamptz NOT NULL,
         CONSTRAINT opt_out_pkey PRIMARY KEY (account_id, recipient, sender)
       )`,
    );
    await runner.query(`CREATE INDEX opt_out_of_account ON opt_out (account_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE opt_out');
  }
}
