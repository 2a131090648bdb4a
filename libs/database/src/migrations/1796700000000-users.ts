import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users of the dashboard with their accounts, sessions and sign-in links, the audit log, and the life of API keys. */
export class Users1796700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE app_user (
     id uuid CONSTRAINT app_user_pkey PRIMARY KEY,
     email text NOT NULL CONSTRAINT app_user_email UNIQUE,
     name text NOT NULL,
     is_operator boolean NOT NULL DEFAULT false,
     password_hash text,
     sealed_totp bytea,
     sealed_new_totp bytea,
     totp_step bigint,
     recovery_hashes bytea[] NOT NULL DEFAULT '{}',
     disabled_at timestamptz,
     signed_in_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT app_user_email_form CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
     CONSTRAINT app_user_name_form CHECK (length(name) BETWEEN 1 AND 100),
     CONSTRAINT app_user_password_form CHECK (password_hash LIKE '$argon2id$%')
   )`,
  `CREATE INDEX app_user_operators ON app_user (id) WHERE is_operator`,
  `CREATE TABLE user_account (
     account_id uuid NOT NULL CONSTRAINT user_account_account REFERENCES account,
     user_id uuid NOT NULL CONSTRAINT user_account_user REFERENCES app_user ON DELETE CASCADE,
     role text NOT NULL CONSTRAINT user_account_role CHECK (role IN ('viewer', 'editor', 'admin')),
     disabled_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT user_account_pkey PRIMARY KEY (account_id, user_id)
   )`,
  `CREATE INDEX user_account_of_user ON user_account (user_id)`,
  `CREATE TABLE user_session (
     id uuid CONSTRAINT user_session_pkey PRIMARY KEY,
     hash bytea NOT NULL CONSTRAINT user_session_hash UNIQUE,
     user_id uuid NOT NULL CONSTRAINT user_session_user REFERENCES app_user ON DELETE CASCADE,
     account_id uuid NOT NULL CONSTRAINT user_session_account REFERENCES account,
     address text NOT NULL,
     user_agent text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     used_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT user_session_hash_form CHECK (octet_length(hash) = 32)
   ) WITH (fillfactor = 70)`,
  `CREATE INDEX user_session_of_user ON user_session (user_id, id)`,
  `CREATE TABLE sign_in_link (
     hash bytea CONSTRAINT sign_in_link_pkey PRIMARY KEY,
     user_id uuid NOT NULL CONSTRAINT sign_in_link_user REFERENCES app_user ON DELETE CASCADE,
     expires_at timestamptz NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT sign_in_link_hash_form CHECK (octet_length(hash) = 32),
     CONSTRAINT sign_in_link_of_user UNIQUE (user_id)
   )`,
  `CREATE TABLE audit_event (
     id uuid CONSTRAINT audit_event_pkey PRIMARY KEY,
     account_id uuid NOT NULL,
     actor text NOT NULL,
     actor_name text NOT NULL,
     action text NOT NULL,
     target text,
     before jsonb,
     after jsonb,
     address text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE INDEX audit_event_of_account ON audit_event (account_id, id)`,
  `CREATE INDEX audit_event_of_actor ON audit_event (account_id, actor, id)`,
  `CREATE INDEX audit_event_of_action ON audit_event (account_id, action, id)`,
  `CREATE INDEX audit_event_of_target ON audit_event (account_id, target, id) WHERE target IS NOT NULL`,
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'UPDATE' OR OLD.created_at > now() - interval '365 days' THEN
       RAISE EXCEPTION 'audit_event is append-only for a year';
     END IF;
     RETURN OLD;
   END $$`,
  `CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
     FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
  `ALTER TABLE api_key
     ADD COLUMN created_by text,
     ADD COLUMN last_used_at timestamptz,
     ADD COLUMN replaced_by uuid`,
  `CREATE INDEX api_key_ended ON api_key (LEAST(revoked_at, expires_at))
    WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL`,
];

const DOWN = [
  `DROP INDEX api_key_ended`,
  `ALTER TABLE api_key DROP COLUMN created_by, DROP COLUMN last_used_at, DROP COLUMN replaced_by`,
  `DROP TABLE audit_event, sign_in_link, user_session, user_account, app_user`,
  `DROP FUNCTION refuse_audit_change()`,
];
