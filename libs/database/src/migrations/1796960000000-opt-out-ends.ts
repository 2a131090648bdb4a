import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the ends of opt-outs, which a STOP from before is compared with. They have a separate table, because the
 * previous version, and each lookup of an opt-out, counts every row of `opt_out`.
 */
export class OptOutEnds1796960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE opt_out_end (
         account_id uuid NOT NULL CONSTRAINT opt_out_end_account REFERENCES account,
         recipient text COLLATE "C" NOT NULL,
         sender text COLLATE "C" NOT NULL,
         source text NOT NULL,
         ended_at timestamptz NOT NULL,
         CONSTRAINT opt_out_end_pkey PRIMARY KEY (account_id, recipient, sender, source)
       )`,
    );
    await runner.query(`CREATE INDEX opt_out_end_by_time ON opt_out_end (ended_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE opt_out_end');
  }
}
