import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const BY_RECIPIENT = [
  [
    'submission_waiting_recipient',
    `submission (account_id, (CASE WHEN cardinality(recipients) = 1 THEN recipients[1] ELSE '' END) COLLATE "C", id)
      WHERE waits`,
  ],
] as const;

/** Indexes the submissions that wait by their recipient, so that a search for another one does not examine them. */
export class WaitingRecipients1796974000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, BY_RECIPIENT);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, BY_RECIPIENT);
  }
}
