import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the starts of submissions: the poll loop of their lane finds them, so no rescuer enqueues them. */
export class NoLostSubmissions1795210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submission DROP COLUMN starts`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submission ADD COLUMN starts smallint NOT NULL DEFAULT 0`);
  }
}
