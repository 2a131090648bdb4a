import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator may pause what an account sends. */
export class PausedAccounts1796710100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE account ADD COLUMN paused_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE account DROP COLUMN paused_at`);
  }
}
