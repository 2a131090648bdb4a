import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the look-ups of messages: by account, campaign and reference through their submissions, by recipient, and failed
 * ones.
 */
export class Lookups1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE message_recipient');
    await runner.query(
      'DROP INDEX message_failed, submission_of_reference, submission_of_campaign, submission_not_fanned_out, submission_of_account',
    );
  }
}

const STATEMENTS = [
  `CREATE INDEX submission_of_account ON submission (account_id, id)`,
  `CREATE INDEX submission_not_fanned_out ON submission (account_id, id) WHERE fanned_out_at IS NULL`,
  `CREATE INDEX submission_of_campaign ON submission (account_id, campaign, id) WHERE campaign IS NOT NULL`,
  `CREATE INDEX submission_of_reference ON submission (account_id, client_ref, id) WHERE client_ref IS NOT NULL`,
  `CREATE INDEX message_failed ON message (account_id, status, submission_id, n) WHERE status IN ('FAILED', 'READ')`,
  // A table and not an index of message: each change of a status writes every index of a message.
  `CREATE TABLE message_recipient (
     account_id uuid NOT NULL,
     recipient text COLLATE "C" NOT NULL,
     submission_id uuid NOT NULL,
     n integer NOT NULL,
     CONSTRAINT message_recipient_pkey PRIMARY KEY (account_id, recipient, submission_id, n)
   )`,
  `INSERT INTO message_recipient SELECT account_id, recipient, submission_id, n FROM message`,
];
