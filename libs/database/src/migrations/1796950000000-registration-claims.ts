import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives every claim of a template registration an id that no other claim has. */
export class RegistrationClaims1796950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template_registration ADD COLUMN claim_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template_registration DROP COLUMN claim_id');
  }
}
