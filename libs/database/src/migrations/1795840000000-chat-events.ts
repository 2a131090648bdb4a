import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores an event that moves no message once, and finds it by its message: a chat-app message is with its gateway, or a
 * recipient wrote one.
 */
export class ChatEvents1795840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE UNIQUE INDEX delivery_report_told ON delivery_report (submission_id, n) WHERE status IN ('SUBMITTED', 'RECEIVED')`,
    );
    await runner.query(
      `CREATE INDEX webhook_chatapp ON webhook (account_id) WHERE channel = 'chatapp' AND deleted_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX webhook_chatapp, delivery_report_told`);
  }
}
