import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the end of a replay's range as an id, as its progress is. */
export class ReplayEnd1795500200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE push_replay ADD COLUMN upto_id uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff'`,
    );
    await runner.query(`ALTER TABLE push_replay ALTER COLUMN upto_id DROP DEFAULT`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE push_replay DROP COLUMN upto_id`);
  }
}
