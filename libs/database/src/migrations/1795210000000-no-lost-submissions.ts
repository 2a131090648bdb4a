import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Submissions are found by the turns of their lane, not rung for again and again: nothing counts their starts. */
export class NoLostSubmissions1795210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submission DROP COLUMN starts`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submission ADD COLUMN starts smallint NOT NULL DEFAULT 0`);
  }
}
