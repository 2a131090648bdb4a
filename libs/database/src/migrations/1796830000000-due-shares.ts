import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const INDEXES = [
  ['submission_due_of_account', 'submission (channel, account_id, due_at) WHERE waits'],
] as const;

/** Submissions that wait for their time are found by account, too: no account's backlog of them delays another's. */
export class DueShares1796830000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, INDEXES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndexes(runner, INDEXES);
  }
}
