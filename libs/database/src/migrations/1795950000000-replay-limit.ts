import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A push counts its replays, so that they can be limited. */
export class ReplayLimit1795950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE push ADD COLUMN replays smallint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE push DROP COLUMN replays`);
  }
}
