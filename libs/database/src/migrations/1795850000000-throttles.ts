import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often its gateway was too busy for a message, apart from how often a worker took it up and died: only the latter parks it. */
export class Throttles1795850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message ADD COLUMN throttles smallint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message DROP COLUMN throttles`);
  }
}
