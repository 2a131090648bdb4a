import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes for each message of a batch whether its route sends it again when its worker dies; null for none. */
export class ResentBatches1796760000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submit_batch ADD COLUMN resends boolean[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE submit_batch DROP COLUMN resends`);
  }
}
