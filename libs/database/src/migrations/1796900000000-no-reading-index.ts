import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const READING = [
  ['message_reading', `message (account_id, submission_id, n) WHERE read_at IS NOT NULL`],
] as const;

/** Drops the index of read messages, so that a Read report updates no index. */
export class NoReadingIndex1796900000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, READING);
  }

  down(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, READING);
  }
}
