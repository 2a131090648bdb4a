import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps reports that match no message and inbound messages of no account, and what their ids teach about a gateway.
 * Inbound messages may be SMS, which have no chat account. Gateways and routes know whether GATEWAYS_FILE names them.
 */
export class OrphanReports1796420000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE orphan_report, gateway_id_rule`);
    await runner.query(`ALTER TABLE route DROP COLUMN name, DROP COLUMN enabled, DROP COLUMN source`);
    await runner.query(`ALTER TABLE gateway DROP COLUMN source`);
    await runner.query(`DELETE FROM inbound_message WHERE chat_account_id IS NULL`);
    await runner.query(`ALTER TABLE inbound_message ALTER COLUMN chat_account_id SET NOT NULL`);
  }
}

const UP = [
  `CREATE TABLE orphan_report (
    id uuid CONSTRAINT orphan_report_pkey PRIMARY KEY,
    gateway text NOT NULL,
    kind text NOT NULL,
    gateway_message_id text NOT NULL,
    wake_id text NOT NULL,
    recipient text,
    status text,
    err_code text NOT NULL,
    gateway_code text,
    description text NOT NULL,
    content jsonb,
    reported_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz,
    CONSTRAINT orphan_report_kind CHECK (kind IN ('report', 'inbound')),
    CONSTRAINT orphan_report_content CHECK ((kind = 'inbound') = (content IS NOT NULL))
  )`,
  // an SMSC repeats a receipt until it is acknowledged
  `CREATE UNIQUE INDEX orphan_report_once
      ON orphan_report (gateway, gateway_message_id, kind, COALESCE(status, ''), COALESCE(recipient, ''))`,
  `CREATE INDEX orphan_report_wake ON orphan_report (gateway, wake_id)`,
  `CREATE INDEX orphan_report_due ON orphan_report (next_try_at) WHERE next_try_at IS NOT NULL`,
  `CREATE INDEX orphan_report_of_gateway ON orphan_report (gateway, id)`,
  `CREATE TABLE gateway_id_rule (
    gateway text NOT NULL,
    form text NOT NULL,
    hits integer NOT NULL,
    learned_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT gateway_id_rule_pkey PRIMARY KEY (gateway, form),
    CONSTRAINT gateway_id_rule_revoked CHECK (learned_at IS NULL OR revoked_at IS NULL)
  )`,
  `CREATE UNIQUE INDEX gateway_id_rule_in_force ON gateway_id_rule (gateway) WHERE learned_at IS NOT NULL`,
  `ALTER TABLE inbound_message ALTER COLUMN chat_account_id DROP NOT NULL`,
  `ALTER TABLE gateway
     ADD COLUMN source text NOT NULL DEFAULT 'api',
     ADD CONSTRAINT gateway_source CHECK (source IN ('api', 'file'))`,
  `ALTER TABLE route
     ADD COLUMN name text,
     ADD COLUMN enabled boolean NOT NULL DEFAULT true,
     ADD COLUMN source text NOT NULL DEFAULT 'api',
     ADD CONSTRAINT route_source CHECK (source IN ('api', 'file'))`,
  `UPDATE route SET name = id::text`,
  `ALTER TABLE route
     ALTER COLUMN name SET NOT NULL,
     ADD CONSTRAINT route_name_unique UNIQUE (name)`,
];
