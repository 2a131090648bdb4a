import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const DAY = `((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date)`;
const BY_DAY = [
  ['message_of_recipient_day', `message (account_id, ${DAY}, recipient COLLATE "C", submission_id, n)`],
] as const;
const BY_RECIPIENT = [
  ['message_of_recipient', `message (account_id, recipient COLLATE "C", submission_id, n)`],
] as const;

/** Finds messages of a recipient by an index that has their day first, so that new messages change one part of it. */
export class RecipientsByDay1796940000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BY_DAY);
    await dropIndexes(runner, BY_RECIPIENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BY_RECIPIENT);
    await dropIndexes(runner, BY_DAY);
  }
}
