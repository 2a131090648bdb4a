import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const BY_UNVERIFIED = [
  [
    'verification_conversion_unverified',
    'verification_conversion (hour, account_id, dimension, (ended - verified))',
  ],
] as const;
const BY_HOUR = [['verification_conversion_hour', 'verification_conversion (hour)']] as const;

/**
 * Indexes the traffic of an account and an hour by its codes that were not verified, so that the fraud guard reads the
 * worst of it only. It serves the sweep as well, in place of the index of hours.
 */
export class UnverifiedCodes1796971000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BY_UNVERIFIED);
    await dropIndexes(runner, BY_HOUR);
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BY_HOUR);
    await dropIndexes(runner, BY_UNVERIFIED);
  }
}
