import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Numbers belong to accounts, also before they are senders and for some time after they were. */
export class SenderAssignments1796150000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(
      `CREATE INDEX sender_assignment_quarantined ON sender_assignment (quarantined_until)
        WHERE quarantined_until IS NOT NULL`,
    );
    await runner.query(
      `INSERT INTO sender_assignment (msisdn, account_id, assigned_by, assigned_at)
       SELECT msisdn, account_id, 'account', created_at
         FROM chat_sender`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sender_assignment`);
  }
}

const TABLE = `
  CREATE TABLE sender_assignment (
    msisdn text CONSTRAINT sender_assignment_pkey PRIMARY KEY,
    account_id uuid NOT NULL CONSTRAINT sender_assignment_account REFERENCES account,
    assigned_by text NOT NULL,
    assigned_at timestamptz NOT NULL DEFAULT now(),
    quarantined_until timestamptz,
    CONSTRAINT sender_assignment_assigned_by CHECK (assigned_by IN ('operator', 'account')),
    CONSTRAINT sender_assignment_quarantine CHECK (assigned_by = 'account' OR quarantined_until IS NULL)
  )`;
