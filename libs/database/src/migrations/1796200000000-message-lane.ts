import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A message carries the lane of its submission, so that lost messages are found lane by lane. Null in messages stored
 * before.
 */
export class MessageLane1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message ADD COLUMN lane text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE message DROP COLUMN lane`);
  }
}
