import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of ready SMS submissions count their messages, so that a round reads and locks no more submissions than it
 * needs. The previous version leaves the count null, which is read as one message.
 */
export class ReadyMessages1796820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ready_sms ADD COLUMN messages integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ready_sms DROP COLUMN messages`);
  }
}
