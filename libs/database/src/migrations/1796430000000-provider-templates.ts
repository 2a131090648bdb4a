import type { MigrationInterface, QueryRunner } from 'typeorm';

const EVENTS = ['created', 'edited', 'approved', 'rejected', 'paused', 'resumed', 'deleted'];
const PROVIDER_EVENTS = ['registered', 'flagged', 'category_changed', 'quality_changed'];

/**
 * Templates are registered with the provider whose gateway serves a number of their chat account, and users of a
 * provider may have an id and no number. The new column and the new constraint change the catalog only; the constraint
 * allows more than the one before, so rows are valid.
 */
export class ProviderTemplates1796430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...UP, ...replaceEvents([...EVENTS, ...PROVIDER_EVENTS])])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM template_event WHERE event = ANY($1::text[])`, [PROVIDER_EVENTS]);
    for (const statement of [...replaceEvents(EVENTS), ...DOWN]) await runner.query(statement);
  }
}

function replaceEvents(events: string[]): string[] {
  const allowed = events.map((event) => `'${event}'`).join(', ');
  return [
    `ALTER TABLE template_event DROP CONSTRAINT template_event_event`,
    `ALTER TABLE template_event ADD CONSTRAINT template_event_event CHECK (event IN (${allowed}))`,
  ];
}

const UP = [
  `CREATE TABLE gateway_number (
     gateway text NOT NULL,
     msisdn text COLLATE "C" NOT NULL,
     provider_id text NOT NULL,
     seen_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT gateway_number_pkey PRIMARY KEY (gateway, msisdn)
   )`,
  `CREATE INDEX gateway_number_msisdn ON gateway_number (msisdn)`,
  `CREATE TABLE template_registration (
     template_id uuid CONSTRAINT template_registration_pkey PRIMARY KEY
                      CONSTRAINT template_registration_template REFERENCES template,
     gateway text NOT NULL,
     gateway_template_id text,
     version integer NOT NULL DEFAULT 0,
     attempted_version integer NOT NULL DEFAULT 0,
     status text,
     reason text,
     quality text,
     coming_category text,
     problem text,
     starts smallint NOT NULL DEFAULT 0,
     due_at timestamptz NOT NULL DEFAULT now(),
     checked_at timestamptz,
     deleted_at timestamptz,
     CONSTRAINT template_registration_version CHECK (version <= attempted_version)
   )`,
  `CREATE INDEX template_registration_due ON template_registration (due_at) WHERE deleted_at IS NULL`,
  `CREATE INDEX template_registration_named ON template_registration (gateway, gateway_template_id)`,
  `CREATE TABLE chat_user (
     account_id uuid NOT NULL CONSTRAINT chat_user_account REFERENCES account,
     user_id text COLLATE "C" NOT NULL,
     msisdn text COLLATE "C" NOT NULL,
     seen_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT chat_user_pkey PRIMARY KEY (account_id, user_id)
   )`,
  `CREATE INDEX chat_user_msisdn ON chat_user (account_id, msisdn)`,
  `ALTER TABLE inbound_message ADD COLUMN user_id text`,
];

const DOWN = [
  `ALTER TABLE inbound_message DROP COLUMN user_id`,
  `DROP TABLE chat_user, template_registration, gateway_number`,
];
