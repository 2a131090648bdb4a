import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks that get several reports in one call. */
export class PushBatches1796780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook ADD COLUMN batch jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN batch');
  }
}
