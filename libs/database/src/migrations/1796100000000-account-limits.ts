import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts get individual limits, and deleted templates are found by age. The default is constant, so no row is
 * rewritten.
 */
export class AccountLimits1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE account ADD COLUMN limits jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(
      `ALTER TABLE account ADD CONSTRAINT account_limits CHECK (jsonb_typeof(limits) = 'object')`,
    );
    await runner.query(`CREATE INDEX media_of_account ON media (account_id)`);
    await runner.query(`CREATE INDEX template_deleted ON template (deleted_at) WHERE deleted_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX template_deleted`);
    await runner.query(`DROP INDEX media_of_account`);
    await runner.query(`ALTER TABLE account DROP COLUMN limits`);
  }
}
