import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const INDEXES = [
  ['webhook_of_account', 'webhook (account_id, id)'],
  ['verification_conversion_hour', 'verification_conversion (hour)'],
] as const;

/** Indexes the webhooks of an account, for the timeline of a message, and the hours of the fraud guard, for its sweep. */
export class AccountWebhooks1796930000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, INDEXES);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, INDEXES);
  }
}
