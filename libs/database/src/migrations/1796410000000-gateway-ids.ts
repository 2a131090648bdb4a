import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The map from gateways' ids to the segments of messages, and the segments of inbound messages. The map is partitioned
 * by day; a duty makes the days ahead and drops old ones, and the default partition takes what has no day.
 */
export class GatewayIds1796410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE gateway_message_id (
     gateway text,
     gateway_message_id text,
     submission_id uuid,
     n integer,
     segment smallint,
     day date,
     segments smallint NOT NULL,
     recipient text NOT NULL,
     status text,
     err_code text,
     gateway_code text,
     description text,
     reported_at timestamptz,
     waiting_since timestamptz,
     CONSTRAINT gateway_message_id_pkey
       PRIMARY KEY (gateway, gateway_message_id, submission_id, n, segment, day),
     CONSTRAINT gateway_message_id_status CHECK (status IN ('SENT', 'DELIVERED', 'READ', 'FAILED'))
   ) PARTITION BY RANGE (day)`,
  `CREATE TABLE gateway_message_id_default PARTITION OF gateway_message_id DEFAULT`,
  `CREATE INDEX gateway_message_id_segments ON gateway_message_id (submission_id, n) WHERE segments > 1`,
  `CREATE INDEX gateway_message_id_waiting ON gateway_message_id (waiting_since) WHERE waiting_since IS NOT NULL`,
  `CREATE TABLE inbound_segment (
     set_id uuid,
     position smallint,
     gateway text NOT NULL,
     sender text NOT NULL,
     recipient text NOT NULL,
     reference_bits smallint NOT NULL,
     reference integer NOT NULL,
     total smallint NOT NULL,
     gateway_message_id text NOT NULL,
     body bytea NOT NULL,
     sent_at timestamptz NOT NULL,
     received_at timestamptz NOT NULL DEFAULT now(),
     closed_at timestamptz,
     CONSTRAINT inbound_segment_pkey PRIMARY KEY (set_id, position)
   )`,
  `CREATE INDEX inbound_segment_key
       ON inbound_segment (gateway, sender, recipient, reference_bits, reference, total)`,
  `CREATE INDEX inbound_segment_open ON inbound_segment (received_at) WHERE closed_at IS NULL`,
  `CREATE INDEX inbound_segment_received ON inbound_segment (received_at)`,
];

const DOWN = [`DROP TABLE inbound_segment`, `DROP TABLE gateway_message_id`];
