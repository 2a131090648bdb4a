import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A report knows whether it is about a code, so that the rescue enqueues it to the queue of codes. A column with a
 * constant default changes the catalog only. Reports stored before count as others, and are at most delayed.
 */
export class ReportLanes1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message_event ADD COLUMN is_code boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message_event DROP COLUMN is_code`);
  }
}
