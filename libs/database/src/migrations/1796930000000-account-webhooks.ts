import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const INDEXES = [
  ['webhook_of_account', 'webhook (account_id, id)'],
  ['verification_conversion_hour', 'verification_conversion (hour)'],
] as const;

/**
 * Indexes for the timeline of a message, which read the webhooks of all accounts, and for the sweep of the fraud guard,
 * which read all hours with each batch.
 */
export class AccountWebhooks1796930000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, INDEXES);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, INDEXES);
  }
}
