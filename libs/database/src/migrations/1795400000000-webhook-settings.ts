import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the settings of a webhook: its filters, its rate and schedule, and a secret that can be rotated while receivers
 * still know the old one. A deleted webhook stays as a row, disabled and without a secret, because its pushes name it;
 * its name is free.
 */
export class WebhookSettings1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM webhook WHERE deleted_at IS NOT NULL OR channel <> 'sms'`);
    await runner.query(`DROP INDEX webhook_name, webhook_intermediate`);
    await runner.query(
      `ALTER TABLE webhook DROP CONSTRAINT webhook_channel, ADD CONSTRAINT webhook_channel CHECK (channel IN ('sms')),
         ADD CONSTRAINT webhook_name UNIQUE (account_id, name),
         DROP COLUMN events, DROP COLUMN intermediate, DROP COLUMN filters, DROP COLUMN schedule, DROP COLUMN rate_per_second,
         DROP COLUMN old_secrets, DROP COLUMN updated_at, DROP COLUMN deleted_at`,
    );
  }
}

const STATEMENTS = [
  `ALTER TABLE webhook
     ADD COLUMN events text[] NOT NULL DEFAULT '{}',
     ADD COLUMN intermediate boolean NOT NULL DEFAULT false,
     ADD COLUMN filters jsonb NOT NULL DEFAULT '{}',
     ADD COLUMN schedule integer[] CONSTRAINT webhook_schedule CHECK (cardinality(schedule) <= 24),
     ADD COLUMN rate_per_second integer CONSTRAINT webhook_rate CHECK (rate_per_second > 0),
     ADD COLUMN old_secrets jsonb NOT NULL DEFAULT '[]',
     ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
     ADD COLUMN deleted_at timestamptz,
     ADD CONSTRAINT webhook_deleted_is_off CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL),
     DROP CONSTRAINT webhook_channel,
     ADD CONSTRAINT webhook_channel CHECK (channel IN ('sms', 'chatapp')),
     DROP CONSTRAINT webhook_name`,
  `CREATE UNIQUE INDEX webhook_name ON webhook (account_id, name) WHERE deleted_at IS NULL`,
  `CREATE INDEX webhook_intermediate ON webhook (account_id) WHERE intermediate AND disabled_at IS NULL`,
];
