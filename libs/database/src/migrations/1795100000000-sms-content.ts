import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SMS templates, texts that differ by recipient, and short links with their clicks. */
export class SmsContent1795100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE short_link_total, short_link_click, short_link, sms_template`);
    await runner.query(`ALTER TABLE submission DROP COLUMN custom, DROP COLUMN credits_each`);
  }
}

const STATEMENTS = [
  // Both are null when all recipients get the same text; else entry n - 1 belongs to message n.
  `ALTER TABLE submission ADD COLUMN custom jsonb, ADD COLUMN credits_each smallint[]`,
  `CREATE TABLE sms_template (
     id uuid CONSTRAINT sms_template_pkey PRIMARY KEY,
     account_id uuid NOT NULL CONSTRAINT sms_template_account REFERENCES account,
     name text NOT NULL,
     text text NOT NULL,
     sender text,
     type text CONSTRAINT sms_template_type CHECK (type IN ('OTP', 'TRANS', 'PROMO')),
     dlt_entity_id text,
     dlt_template_id text,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT sms_template_name UNIQUE (account_id, name)
   )`,
  `CREATE INDEX sms_template_of_account ON sms_template (account_id, id)`,
  // The target is stored in the submission, once for all recipients.
  `CREATE TABLE short_link (
     code text COLLATE "C" CONSTRAINT short_link_pkey PRIMARY KEY,
     account_id uuid NOT NULL,
     submission_id uuid NOT NULL,
     n integer NOT NULL,
     link smallint NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  `CREATE INDEX short_link_expiry ON short_link (expires_at)`,
  // Clicks are appended and added up later: no click waits for the row of another.
  `CREATE TABLE short_link_click (
     id uuid CONSTRAINT short_link_click_pkey PRIMARY KEY,
     account_id uuid NOT NULL,
     submission_id uuid NOT NULL,
     n integer NOT NULL,
     link smallint NOT NULL,
     kind text NOT NULL CONSTRAINT short_link_click_kind CHECK (kind IN ('person', 'bot', 'prefetch')),
     clicked_at timestamptz NOT NULL
   )`,
  `CREATE INDEX short_link_click_of_message ON short_link_click (submission_id, n)`,
  `CREATE TABLE short_link_total (
     submission_id uuid NOT NULL,
     n integer NOT NULL,
     link smallint NOT NULL,
     kind text NOT NULL CONSTRAINT short_link_total_kind CHECK (kind IN ('person', 'bot', 'prefetch')),
     account_id uuid NOT NULL,
     clicks integer NOT NULL,
     first_at timestamptz NOT NULL,
     last_at timestamptz NOT NULL,
     CONSTRAINT short_link_total_pkey PRIMARY KEY (submission_id, n, link, kind)
   )`,
];
