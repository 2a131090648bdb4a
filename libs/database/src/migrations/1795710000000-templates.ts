import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Templates of chat accounts. What a template says is in its versions, of which none ever changes: `version` is the
 * newest, and `approved_version` the one that is sent, also while a newer one is under review. One that was deleted
 * stays as a row, because messages name it; its name is free again.
 */
export class Templates1795710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE template_event, template_version, template`);
  }
}

const CATEGORY = `category IN ('UTILITY', 'MARKETING', 'AUTHENTICATION')`;

const STATEMENTS = [
  `CREATE TABLE template (
     id uuid CONSTRAINT template_pkey PRIMARY KEY,
     account_id uuid NOT NULL CONSTRAINT template_account REFERENCES account,
     chat_account_id bigint NOT NULL CONSTRAINT template_chat_account REFERENCES chat_account,
     name text COLLATE "C" NOT NULL,
     language text NOT NULL,
     status text NOT NULL CONSTRAINT template_status CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'PAUSED')),
     category text NOT NULL CONSTRAINT template_category CHECK (${CATEGORY}),
     version integer NOT NULL,
     approved_version integer,
     rejection_reason text,
     edited_on date,
     month_edits smallint NOT NULL DEFAULT 0,
     submitted_at timestamptz NOT NULL,
     starts smallint NOT NULL DEFAULT 0,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL,
     deleted_at timestamptz,
     CONSTRAINT template_approved_has_version CHECK (status NOT IN ('APPROVED', 'PAUSED') OR approved_version IS NOT DISTINCT FROM version),
     CONSTRAINT template_rejected_has_reason CHECK ((status = 'REJECTED') = (rejection_reason IS NOT NULL)),
     CONSTRAINT template_edits CHECK (month_edits BETWEEN 0 AND 10)
   ) WITH (fillfactor = 80)`,
  `CREATE UNIQUE INDEX template_name ON template (account_id, chat_account_id, name, language) WHERE deleted_at IS NULL`,
  `CREATE INDEX template_page ON template (account_id, id) WHERE deleted_at IS NULL`,
  `CREATE INDEX template_waiting ON template (id) WHERE status = 'PENDING' AND deleted_at IS NULL`,
  `CREATE TABLE template_version (
     template_id uuid NOT NULL CONSTRAINT template_version_template REFERENCES template,
     version integer NOT NULL,
     account_id uuid NOT NULL,
     category text NOT NULL CONSTRAINT template_version_category CHECK (${CATEGORY}),
     components jsonb NOT NULL,
     allow_category_change boolean NOT NULL,
     code_expiration_minutes smallint CONSTRAINT template_version_minutes CHECK (code_expiration_minutes BETWEEN 1 AND 90),
     created_at timestamptz NOT NULL,
     CONSTRAINT template_version_pkey PRIMARY KEY (template_id, version)
   )`,
  `CREATE TABLE template_event (
     id uuid CONSTRAINT template_event_pkey PRIMARY KEY,
     template_id uuid NOT NULL CONSTRAINT template_event_template REFERENCES template,
     account_id uuid NOT NULL,
     version integer NOT NULL,
     event text NOT NULL
       CONSTRAINT template_event_event CHECK (event IN ('created', 'edited', 'approved', 'rejected', 'paused', 'resumed', 'deleted')),
     actor text NOT NULL,
     reason text,
     created_at timestamptz NOT NULL
   )`,
  `CREATE INDEX template_event_of_template ON template_event (template_id, id)`,
];
