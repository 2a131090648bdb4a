import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the times of a submission. A submission that waits for its time (`waits`) is found by `due_at`; a ready one by
 * its account within its lane, so that accounts share lanes fairly. Indexes keep messages held by quiet hours from the
 * rescuers.
 */
export class SmsDispatch1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX submission_ready, submission_due, message_held, message_open`);
    await runner.query(`CREATE INDEX submission_waiting ON submission (id) WHERE fanned_out_at IS NULL`);
    await runner.query(
      `CREATE INDEX message_open ON message (submission_id, n) WHERE status IN ('PENDING', 'SENT')`,
    );
    await runner.query(`ALTER TABLE message DROP COLUMN held_until`);
    await runner.query(`ALTER TABLE account DROP COLUMN sms_per_second`);
    await runner.query(
      `ALTER TABLE submission DROP COLUMN send_at, DROP COLUMN expires_at, DROP COLUMN cancelled_at, DROP COLUMN rate_per_second,
         DROP COLUMN due_at, DROP COLUMN waits, DROP COLUMN held_until`,
    );
  }
}

const STATEMENTS = [
  `ALTER TABLE submission
     ADD COLUMN send_at timestamptz,
     ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '2 days',
     ADD COLUMN cancelled_at timestamptz,
     ADD COLUMN rate_per_second integer CONSTRAINT submission_rate CHECK (rate_per_second > 0),
     ADD COLUMN due_at timestamptz NOT NULL DEFAULT now(),
     ADD COLUMN waits boolean NOT NULL DEFAULT false,
     ADD COLUMN held_until timestamptz,
     ADD CONSTRAINT submission_waits_for_something CHECK (NOT waits OR fanned_out_at IS NULL)`,
  `DROP INDEX submission_waiting`,
  `CREATE INDEX submission_ready ON submission (lane, account_id, id) WHERE fanned_out_at IS NULL AND NOT waits`,
  `CREATE INDEX submission_due ON submission (due_at) WHERE waits`,
  `ALTER TABLE message ADD COLUMN held_until timestamptz`,
  `DROP INDEX message_open`,
  `CREATE INDEX message_open ON message (submission_id, n) WHERE status IN ('PENDING', 'SENT') AND held_until IS NULL`,
  `CREATE INDEX message_held ON message (submission_id, held_until, n) WHERE held_until IS NOT NULL`,
  `ALTER TABLE account ADD COLUMN sms_per_second integer CONSTRAINT account_sms_per_second CHECK (sms_per_second > 0)`,
];
