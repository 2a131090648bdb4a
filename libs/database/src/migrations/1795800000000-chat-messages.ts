import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds chat-app messages, in separate lanes; the pace of each sender and of each pair of sender and recipient; inbound
 * messages; and the callbacks of providers as they came.
 */
export class ChatMessages1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const EAGER_VACUUM =
  'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0';

const UP = [
  `ALTER TABLE submission
     DROP CONSTRAINT submission_channel, ADD CONSTRAINT submission_channel CHECK (channel IN ('sms', 'chatapp')),
     DROP CONSTRAINT submission_lane, ADD CONSTRAINT submission_lane CHECK (lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT')),
     ADD CONSTRAINT submission_lane_of_channel CHECK ((channel = 'chatapp') = (lane IN ('CHAT_OTP', 'CHAT')))`,
  `DROP INDEX submission_ready`,
  `CREATE INDEX submission_ready ON submission (lane, account_id, id) WHERE channel = 'sms' AND fanned_out_at IS NULL AND NOT waits`,
  `CREATE INDEX chat_submission_ready ON submission (lane, sender, id) WHERE channel = 'chatapp' AND fanned_out_at IS NULL AND NOT waits`,
  `DROP INDEX submission_due`,
  `CREATE INDEX submission_due ON submission (channel, due_at) WHERE waits`,
  // SUBMITTED: a message is with its gateway. RECEIVED: a recipient wrote a message. Neither moves a message.
  `ALTER TABLE delivery_report DROP CONSTRAINT delivery_report_status,
     ADD CONSTRAINT delivery_report_status CHECK (status IN ('SENT', 'DELIVERED', 'READ', 'FAILED', 'SUBMITTED', 'RECEIVED'))`,
  `ALTER TABLE chat_account ADD COLUMN session_window text NOT NULL DEFAULT 'off'
     CONSTRAINT chat_account_session_window CHECK (session_window IN ('off', 'enforce'))`,
  // The messages of a sender are spread until \`paced_until\`: the next may be sent then.
  `ALTER TABLE chat_sender
     ADD COLUMN messages_per_second smallint NOT NULL DEFAULT 80 CONSTRAINT chat_sender_rate CHECK (messages_per_second BETWEEN 1 AND 1000),
     ADD COLUMN paced_until timestamptz NOT NULL DEFAULT 'epoch'`,
  `ALTER TABLE chat_sender SET (fillfactor = 50)`,
  `CREATE TABLE chat_pair (
     account_id uuid NOT NULL,
     sender text COLLATE "C" NOT NULL,
     recipient text COLLATE "C" NOT NULL,
     paced_until timestamptz NOT NULL DEFAULT 'epoch',
     last_inbound_at timestamptz,
     CONSTRAINT chat_pair_pkey PRIMARY KEY (account_id, sender, recipient)
   ) WITH (fillfactor = 70, ${EAGER_VACUUM})`,
  `CREATE TABLE inbound_message (
     id uuid CONSTRAINT inbound_message_pkey PRIMARY KEY,
     account_id uuid NOT NULL,
     chat_account_id bigint NOT NULL,
     gateway text NOT NULL,
     gateway_message_id text NOT NULL,
     sender text COLLATE "C" NOT NULL,
     recipient text NOT NULL,
     kind text NOT NULL,
     content jsonb NOT NULL,
     reply_to_submission_id uuid,
     reply_to_n integer,
     sent_at timestamptz NOT NULL,
     received_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT inbound_message_of_gateway UNIQUE (gateway, gateway_message_id),
     CONSTRAINT inbound_message_reply CHECK ((reply_to_submission_id IS NULL) = (reply_to_n IS NULL))
   )`,
  `CREATE INDEX inbound_message_of_account ON inbound_message (account_id, id)`,
  `CREATE INDEX inbound_message_of_sender ON inbound_message (account_id, sender, id)`,
  `CREATE TABLE callback (
     id uuid CONSTRAINT callback_pkey PRIMARY KEY,
     gateway text NOT NULL,
     body bytea NOT NULL,
     received_at timestamptz NOT NULL DEFAULT now(),
     processed_at timestamptz,
     problem text,
     starts smallint NOT NULL DEFAULT 0
   ) WITH (fillfactor = 70, ${EAGER_VACUUM})`,
  `CREATE INDEX callback_unprocessed ON callback (id) WHERE processed_at IS NULL`,
  `ALTER TABLE phone_message ADD COLUMN channel text NOT NULL DEFAULT 'sms' CONSTRAINT phone_message_channel CHECK (channel IN ('sms', 'chatapp'))`,
];

const DOWN = [
  `ALTER TABLE phone_message DROP COLUMN channel`,
  `DROP TABLE callback, inbound_message, chat_pair`,
  `ALTER TABLE chat_sender DROP COLUMN messages_per_second, DROP COLUMN paced_until`,
  `ALTER TABLE chat_account DROP COLUMN session_window`,
  `DELETE FROM delivery_report WHERE status IN ('SUBMITTED', 'RECEIVED')`,
  `ALTER TABLE delivery_report DROP CONSTRAINT delivery_report_status,
     ADD CONSTRAINT delivery_report_status CHECK (status IN ('SENT', 'DELIVERED', 'READ', 'FAILED'))`,
  `DROP INDEX submission_due, chat_submission_ready, submission_ready`,
  `DELETE FROM submission WHERE channel = 'chatapp'`,
  `ALTER TABLE submission DROP CONSTRAINT submission_lane_of_channel,
     DROP CONSTRAINT submission_channel, ADD CONSTRAINT submission_channel CHECK (channel IN ('sms')),
     DROP CONSTRAINT submission_lane, ADD CONSTRAINT submission_lane CHECK (lane IN ('OTP', 'TRANS', 'PROMO'))`,
  `CREATE INDEX submission_ready ON submission (lane, account_id, id) WHERE fanned_out_at IS NULL AND NOT waits`,
  `CREATE INDEX submission_due ON submission (due_at) WHERE waits`,
];
