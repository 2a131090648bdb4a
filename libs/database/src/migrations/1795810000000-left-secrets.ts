import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the look-up of sealed texts that are not wiped yet: as a rule only those being submitted now. */
export class LeftSecrets1795810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX submission_sealed ON submission (fanned_out_at) WHERE sealed IS NOT NULL AND fanned_out_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX submission_sealed`);
  }
}
