import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets tenants create, rename and delete chat accounts. A deleted one stays as a row, because its templates name it.
 */
export class ChatAccounts1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX chat_account_name`);
    await runner.query(`DROP INDEX chat_sender_of_chat_account`);
    await runner.query(`CREATE INDEX chat_sender_of_chat_account ON chat_sender (chat_account_id)`);
    await runner.query(`CREATE INDEX chat_account_of_account ON chat_account (account_id)`);
    await runner.query(`DROP INDEX chat_account_page`);
    await runner.query(`ALTER TABLE chat_account DROP COLUMN updated_at, DROP COLUMN deleted_at`);
  }
}

const STATEMENTS = [
  `ALTER TABLE chat_account ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(), ADD COLUMN deleted_at timestamptz`,
  `CREATE UNIQUE INDEX chat_account_name ON chat_account (account_id, name) WHERE deleted_at IS NULL`,
  `CREATE INDEX chat_account_page ON chat_account (account_id, id) WHERE deleted_at IS NULL`,
  `DROP INDEX chat_account_of_account`,
  `DROP INDEX chat_sender_of_chat_account`,
  `CREATE INDEX chat_sender_of_chat_account ON chat_sender (chat_account_id, msisdn)`,
];
