import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users of an identity provider, its sign-ins that were completed, and an audit log that refuses TRUNCATE as well. */
export class IdentityProvider1796700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE app_user
     ADD COLUMN identity_issuer text,
     ADD COLUMN identity_subject text,
     ADD CONSTRAINT app_user_identity_form CHECK ((identity_issuer IS NULL) = (identity_subject IS NULL))`,
  `CREATE UNIQUE INDEX app_user_identity ON app_user (identity_issuer, identity_subject)
    WHERE identity_subject IS NOT NULL`,
  `CREATE TABLE used_sign_in (
     hash bytea NOT NULL CONSTRAINT used_sign_in_pkey PRIMARY KEY,
     expires_at timestamptz NOT NULL,
     CONSTRAINT used_sign_in_hash_form CHECK (octet_length(hash) = 32)
   )`,
  `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'DELETE' OR OLD.created_at > now() - interval '365 days' THEN
       RAISE EXCEPTION 'audit_event is append-only for a year';
     END IF;
     RETURN OLD;
   END $$`,
  `CREATE TRIGGER audit_event_not_truncated BEFORE TRUNCATE ON audit_event
     FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
];

const DOWN = [
  `DROP TRIGGER audit_event_not_truncated ON audit_event`,
  `DROP TABLE used_sign_in`,
  `DROP INDEX app_user_identity`,
  `ALTER TABLE app_user DROP COLUMN identity_issuer, DROP COLUMN identity_subject`,
];
