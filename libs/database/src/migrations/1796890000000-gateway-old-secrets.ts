import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps replaced credentials of gateways, by which callbacks are accepted for a while. */
export class GatewayOldSecrets1796890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE gateway ADD COLUMN old_secrets jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway DROP COLUMN old_secrets');
  }
}
