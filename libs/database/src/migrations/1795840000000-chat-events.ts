import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is told of a chat-app message without moving one is told once, and found by the message: that it is with its gateway, or that a
 * recipient wrote it.
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
