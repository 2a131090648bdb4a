import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds one-time passwords: their configurations, each code, and their statistics. */
export class Verification1795600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE verification_conversion, verification_latency, verification_stat, verification_quota,
                                   verification_number, verification, verification_policy, verification_config`);
  }
}

const EAGER_VACUUM =
  'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0';

const STATEMENTS = [
  `CREATE TABLE verification_config (
     id uuid CONSTRAINT verification_config_pkey PRIMARY KEY,
     account_id uuid NOT NULL CONSTRAINT verification_config_account REFERENCES account,
     name text NOT NULL,
     enabled boolean NOT NULL,
     channel text NOT NULL CONSTRAINT verification_config_channel CHECK (channel IN ('sms')),
     code_length smallint NOT NULL CONSTRAINT verification_config_code_length CHECK (code_length BETWEEN 4 AND 10),
     alphabet text NOT NULL CONSTRAINT verification_config_alphabet CHECK (alphabet IN ('numeric', 'alphanumeric')),
     ttl_seconds smallint NOT NULL CONSTRAINT verification_config_ttl CHECK (ttl_seconds BETWEEN 60 AND 3600),
     max_attempts smallint NOT NULL CONSTRAINT verification_config_max_attempts CHECK (max_attempts BETWEEN 1 AND 10),
     resend_after_seconds smallint NOT NULL,
     max_sends_per_10_minutes smallint NOT NULL,
     max_sends_per_day smallint NOT NULL,
     sender text NOT NULL,
     text text NOT NULL,
     web_otp_domain text,
     android_hash text,
     test_numbers jsonb NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL,
     deleted_at timestamptz
   )`,
  `CREATE UNIQUE INDEX verification_config_name ON verification_config (account_id, name) WHERE deleted_at IS NULL`,
  `CREATE INDEX verification_config_of_account ON verification_config (account_id, id)`,
  `CREATE TABLE verification_policy (
     account_id uuid CONSTRAINT verification_policy_pkey PRIMARY KEY CONSTRAINT verification_policy_account REFERENCES account,
     countries text[],
     max_sends_per_prefix_per_hour integer,
     daily_credits integer,
     fraud_guard text NOT NULL CONSTRAINT verification_policy_fraud_guard CHECK (fraud_guard IN ('off', 'monitor', 'block')),
     min_conversion_percent smallint NOT NULL,
     min_sends integer NOT NULL,
     guard_allow_list text[] NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  // status: WAITING for its code, SENT once that is handed to the SMS path; then one of the three ends, where the
  // code's MAC is wiped
  `CREATE TABLE verification (
     id uuid CONSTRAINT verification_pkey PRIMARY KEY,
     account_id uuid NOT NULL,
     config_id uuid NOT NULL,
     key_id uuid NOT NULL,
     recipient text NOT NULL,
     country text NOT NULL,
     is_test boolean NOT NULL,
     status text NOT NULL DEFAULT 'WAITING'
       CONSTRAINT verification_status CHECK (status IN ('WAITING', 'SENT', 'VERIFIED', 'EXPIRED', 'REPLACED')),
     code_mac bytea,
     attempts smallint NOT NULL DEFAULT 0,
     max_attempts smallint NOT NULL,
     submission_id uuid,
     guard_reason text,
     created_at timestamptz NOT NULL DEFAULT now(),
     expires_at timestamptz NOT NULL,
     sent_at timestamptz,
     verified_at timestamptz,
     counted boolean NOT NULL DEFAULT false,
     starts smallint NOT NULL DEFAULT 0,
     CONSTRAINT verification_code_lives CHECK ((status = 'SENT') = (code_mac IS NOT NULL)),
     CONSTRAINT verification_verified_at CHECK ((status = 'VERIFIED') = (verified_at IS NOT NULL)),
     CONSTRAINT verification_attempts CHECK (attempts <= max_attempts)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
  `CREATE INDEX verification_waiting ON verification (id) WHERE status = 'WAITING'`,
  `CREATE INDEX verification_open ON verification (expires_at) WHERE status IN ('WAITING', 'SENT')`,
  `CREATE INDEX verification_uncounted ON verification (id) WHERE NOT counted AND status IN ('VERIFIED', 'EXPIRED', 'REPLACED')`,
  // The sends and tries of a number within a day; its row is the lock that serializes them.
  `CREATE TABLE verification_number (
     account_id uuid NOT NULL,
     recipient text NOT NULL,
     sends jsonb NOT NULL DEFAULT '[]',
     wrong_at timestamptz[] NOT NULL DEFAULT '{}',
     touched_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT verification_number_pkey PRIMARY KEY (account_id, recipient)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
  `CREATE TABLE verification_quota (
     account_id uuid NOT NULL,
     quota text NOT NULL,
     used integer NOT NULL DEFAULT 0,
     since timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT verification_quota_pkey PRIMARY KEY (account_id, quota)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
  `CREATE TABLE verification_stat (
     account_id uuid NOT NULL,
     day date NOT NULL,
     config_id uuid NOT NULL,
     country text NOT NULL,
     sent integer NOT NULL,
     verified integer NOT NULL,
     CONSTRAINT verification_stat_pkey PRIMARY KEY (account_id, day, config_id, country)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
  `CREATE TABLE verification_latency (
     account_id uuid NOT NULL,
     day date NOT NULL,
     config_id uuid NOT NULL,
     country text NOT NULL,
     seconds smallint NOT NULL,
     verified integer NOT NULL,
     CONSTRAINT verification_latency_pkey PRIMARY KEY (account_id, day, config_id, country, seconds)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
  `CREATE TABLE verification_conversion (
     account_id uuid NOT NULL,
     dimension text NOT NULL CONSTRAINT verification_conversion_dimension CHECK (dimension IN ('prefix', 'country', 'key')),
     value text NOT NULL,
     hour timestamptz NOT NULL,
     ended integer NOT NULL DEFAULT 0,
     verified integer NOT NULL DEFAULT 0,
     flagged integer NOT NULL DEFAULT 0,
     blocked integer NOT NULL DEFAULT 0,
     CONSTRAINT verification_conversion_pkey PRIMARY KEY (account_id, dimension, value, hour)
   ) WITH (fillfactor = 60, ${EAGER_VACUUM})`,
];
