import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the health of endpoints, which all dlr-workers share, and finds pushes by endpoint: the key begins with the
 * webhook, and waiting pushes have an index by webhook and time.
 */
export class Endpoints1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE endpoint (
     webhook_id uuid CONSTRAINT endpoint_pkey PRIMARY KEY CONSTRAINT endpoint_webhook REFERENCES webhook ON DELETE CASCADE,
     failures integer NOT NULL DEFAULT 0,
     failing_since timestamptz,
     window_from timestamptz NOT NULL DEFAULT now(),
     window_calls integer NOT NULL DEFAULT 0,
     window_failures integer NOT NULL DEFAULT 0,
     open_level smallint NOT NULL DEFAULT 0,
     open_until timestamptz,
     CONSTRAINT endpoint_failing_has_time CHECK ((failures > 0) = (failing_since IS NOT NULL)),
     CONSTRAINT endpoint_open_has_time CHECK ((open_level > 0) = (open_until IS NOT NULL))
   ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000)`,
  `ALTER TABLE push DROP CONSTRAINT push_pkey`,
  `ALTER TABLE push ADD CONSTRAINT push_pkey PRIMARY KEY (webhook_id, report_id)`,
  `ALTER TABLE push ADD COLUMN attempts_before smallint NOT NULL DEFAULT 0,
                    ADD COLUMN dns_ms smallint, ADD COLUMN connect_ms smallint, ADD COLUMN tls_ms smallint, ADD COLUMN first_byte_ms smallint`,
  `DROP INDEX push_due`,
  `CREATE INDEX push_waiting ON push (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
  `CREATE INDEX push_undelivered ON push (webhook_id, report_id) WHERE status <> 'DELIVERED'`,
  `ALTER TABLE push SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
  `DROP INDEX push_attempt_of_push`,
  `CREATE INDEX push_attempt_of_push ON push_attempt (webhook_id, report_id)`,
  `ALTER TABLE push_attempt ADD COLUMN request_headers jsonb, ADD COLUMN dns_ms smallint, ADD COLUMN connect_ms smallint,
                            ADD COLUMN tls_ms smallint, ADD COLUMN first_byte_ms smallint`,
];

const DOWN = [
  `ALTER TABLE push_attempt DROP COLUMN request_headers, DROP COLUMN dns_ms, DROP COLUMN connect_ms, DROP COLUMN tls_ms, DROP COLUMN first_byte_ms`,
  `DROP INDEX push_attempt_of_push`,
  `CREATE INDEX push_attempt_of_push ON push_attempt (report_id, webhook_id)`,
  `ALTER TABLE push RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_cost_delay)`,
  `DROP INDEX push_undelivered`,
  `DROP INDEX push_waiting`,
  `CREATE INDEX push_due ON push (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
  `ALTER TABLE push DROP COLUMN attempts_before, DROP COLUMN dns_ms, DROP COLUMN connect_ms, DROP COLUMN tls_ms, DROP COLUMN first_byte_ms`,
  `ALTER TABLE push DROP CONSTRAINT push_pkey`,
  `ALTER TABLE push ADD CONSTRAINT push_pkey PRIMARY KEY (report_id, webhook_id)`,
  `DROP TABLE endpoint`,
];
