import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Codes that should be gone by now are found: as a rule there are those only that are being submitted at this moment. */
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
