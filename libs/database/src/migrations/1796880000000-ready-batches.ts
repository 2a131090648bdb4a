import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * New SMS submissions are listed by one row for each lane of a statement that stored them. Most are fanned out within a
 * second, and never get a row in `ready_sms`. Up to about 400 ids stay in the row, which TOAST would store as several.
 */
export class ReadyBatches1796880000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE ready_batch (
         id uuid PRIMARY KEY,
         lane text NOT NULL,
         due_at timestamptz NOT NULL,
         ids uuid[] NOT NULL,
         messages integer[]
       ) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02,
               autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
    );
    await runner.query(`CREATE INDEX ready_batch_due ON ready_batch (lane, due_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO ready_sms (lane, account_id, id, messages)
       SELECT s.lane, s.account_id, s.id, 1
         FROM ready_batch b
        CROSS JOIN unnest(b.ids) AS u(id)
         JOIN submission s ON s.id = u.id
        WHERE s.fanned_out_at IS NULL
          AND NOT s.waits
       ON CONFLICT DO NOTHING`,
    );
    await runner.query(`DROP TABLE ready_batch`);
  }
}
