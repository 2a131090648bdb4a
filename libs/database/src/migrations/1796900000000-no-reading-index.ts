import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const READING = [
  ['message_reading', `message (account_id, submission_id, n) WHERE read_at IS NOT NULL`],
] as const;

/** Lists read messages as those of the other usual statuses, so that a Read report changes no index. */
export class NoReadingIndex1796900000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, READING);
  }

  down(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, READING);
  }
}
