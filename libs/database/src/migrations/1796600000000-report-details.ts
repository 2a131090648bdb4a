import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports keep the code of their gateway, and what else it says: prices and errors. */
export class ReportDetails1796600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message_event ADD COLUMN gateway_code text, ADD COLUMN details jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message_event DROP COLUMN gateway_code, DROP COLUMN details`);
  }
}
