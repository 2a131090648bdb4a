import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const INDEXES = [['webhook_deleted', 'webhook (deleted_at) WHERE deleted_at IS NOT NULL']] as const;

/** Lets retention find deleted webhooks, without reading all webhooks once a minute. */
export class DeletedWebhooks1796860000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, INDEXES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndexes(runner, INDEXES);
  }
}
