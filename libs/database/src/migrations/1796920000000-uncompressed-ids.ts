import type { MigrationInterface, QueryRunner } from 'typeorm';

const ARRAYS_OF_IDS = [
  ['claim_batch', 'submission_ids'],
  ['deferred_batch', 'ids'],
  ['ready_batch', 'ids'],
  ['report_batch', 'ids'],
] as const;

const OF_ALL_MESSAGES = ['claim_batch', 'report_batch'];

/**
 * Stores arrays of different ids without compression: pglz takes half a microsecond for each id, and makes an array no
 * smaller. Up to about 500 ids of a claim or of reports stay in their row, which TOAST would store as several.
 */
export class UncompressedIds1796920000000 implements MigrationInterface {
  /** Each statement holds the lock of one table. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of ARRAYS_OF_IDS)
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    for (const table of OF_ALL_MESSAGES)
      await runner.query(`ALTER TABLE ${table} SET (toast_tuple_target = 8160)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of ARRAYS_OF_IDS)
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE DEFAULT`);
    for (const table of OF_ALL_MESSAGES)
      await runner.query(`ALTER TABLE ${table} RESET (toast_tuple_target)`);
  }
}
