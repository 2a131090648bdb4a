import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the throttles of a message apart from its starts: only starts that its worker died with park a message. */
export class Throttles1795850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message ADD COLUMN throttles smallint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message DROP COLUMN throttles`);
  }
}
