import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gateways and routes are rows, which workers follow while they run. A message knows when its gateway first throttled
 * it, and when its submit went without an answer.
 */
export class Gateways1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE TABLE gateway (
     id uuid CONSTRAINT gateway_pkey PRIMARY KEY,
     name text NOT NULL CONSTRAINT gateway_name_unique UNIQUE,
     channel text NOT NULL,
     kind text NOT NULL,
     settings jsonb NOT NULL,
     sealed_secrets bytea,
     rate_per_second integer,
     enabled boolean NOT NULL DEFAULT true,
     paused boolean NOT NULL DEFAULT false,
     version integer NOT NULL DEFAULT 1,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT gateway_name CHECK (name ~ '^[a-z][a-z0-9-]{1,38}$' AND name NOT IN ('simulator', 'chat-simulator')),
     CONSTRAINT gateway_channel CHECK (channel IN ('sms', 'chatapp')),
     CONSTRAINT gateway_rate CHECK (rate_per_second > 0)
   )`,
  `CREATE TABLE gateway_state (
     gateway_id uuid CONSTRAINT gateway_state_gateway REFERENCES gateway ON DELETE CASCADE,
     worker_id uuid,
     status text NOT NULL,
     reason text NOT NULL,
     since timestamptz NOT NULL,
     detail jsonb NOT NULL,
     seen_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT gateway_state_pkey PRIMARY KEY (gateway_id, worker_id),
     CONSTRAINT gateway_state_status CHECK (status IN ('up', 'connecting', 'down', 'closed'))
   )`,
  `CREATE TABLE gateway_minute (
     gateway text,
     minute timestamptz,
     accepted integer NOT NULL,
     refused integer NOT NULL,
     delivered integer NOT NULL,
     failed integer NOT NULL,
     CONSTRAINT gateway_minute_pkey PRIMARY KEY (gateway, minute)
   )`,
  `CREATE TABLE route (
     id uuid CONSTRAINT route_pkey PRIMARY KEY,
     priority integer NOT NULL,
     match jsonb NOT NULL,
     targets jsonb NOT NULL,
     fallbacks jsonb NOT NULL,
     policy jsonb NOT NULL,
     version integer NOT NULL DEFAULT 1,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE INDEX route_order ON route (priority, id)`,
  `CREATE TABLE routing_event (
     id uuid CONSTRAINT routing_event_pkey PRIMARY KEY,
     submission_id uuid NOT NULL,
     n integer NOT NULL,
     event text NOT NULL,
     gateway text NOT NULL,
     reason text NOT NULL,
     at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT routing_event_event CHECK (event IN ('ROUTED', 'FAILED_OVER', 'UNCONFIRMED'))
   )`,
  `CREATE INDEX routing_event_message ON routing_event (submission_id, n)`,
  `CREATE TABLE pinned_message (
     gateway text,
     submission_id uuid,
     n integer,
     lane text NOT NULL,
     attempt integer NOT NULL,
     pinned_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT pinned_message_pkey PRIMARY KEY (gateway, submission_id, n)
   )`,
  `CREATE TABLE submit_batch (
     id uuid CONSTRAINT submit_batch_pkey PRIMARY KEY,
     gateway text NOT NULL,
     lane text NOT NULL,
     submission_ids uuid[] NOT NULL,
     ns integer[] NOT NULL,
     attempts integer[] NOT NULL,
     alive_until timestamptz NOT NULL
   )`,
  `CREATE TABLE unconfirmed_message (
     submission_id uuid,
     n integer,
     gateway text NOT NULL,
     channel text NOT NULL,
     due_at timestamptz NOT NULL,
     CONSTRAINT unconfirmed_message_pkey PRIMARY KEY (submission_id, n)
   )`,
  `CREATE INDEX unconfirmed_message_due ON unconfirmed_message (channel, due_at)`,
  `ALTER TABLE message ADD COLUMN throttled_at timestamptz, ADD COLUMN unconfirmed_at timestamptz`,
];

const DOWN = [
  `ALTER TABLE message DROP COLUMN throttled_at, DROP COLUMN unconfirmed_at`,
  `DROP TABLE unconfirmed_message, submit_batch, pinned_message, routing_event, route, gateway_minute, gateway_state, gateway`,
];
