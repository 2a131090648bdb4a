import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds replays: pushes of a webhook that are made again at a rate. */
export class Replays1795500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE push_replay (
         id uuid CONSTRAINT push_replay_pkey PRIMARY KEY,
         account_id uuid NOT NULL,
         webhook_id uuid NOT NULL CONSTRAINT push_replay_webhook REFERENCES webhook ON DELETE CASCADE,
         status text NOT NULL CONSTRAINT push_replay_status CHECK (status IN ('RUNNING', 'DONE', 'CANCELLED')),
         statuses text[] NOT NULL,
         from_at timestamptz NOT NULL,
         to_at timestamptz NOT NULL,
         after_id uuid NOT NULL,
         rate_per_second integer NOT NULL CONSTRAINT push_replay_rate CHECK (rate_per_second > 0),
         total integer NOT NULL,
         replayed integer NOT NULL DEFAULT 0,
         advanced_at timestamptz NOT NULL DEFAULT now(),
         created_at timestamptz NOT NULL DEFAULT now(),
         finished_at timestamptz,
         CONSTRAINT push_replay_ended_has_time CHECK ((status = 'RUNNING') = (finished_at IS NULL))
       )`,
    );
    await runner.query(`CREATE INDEX push_replay_running ON push_replay (id) WHERE status = 'RUNNING'`);
    await runner.query(`CREATE INDEX push_replay_of_webhook ON push_replay (webhook_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE push_replay`);
  }
}
