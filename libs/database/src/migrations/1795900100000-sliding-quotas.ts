import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replaces the sum of a quota by its uses, each with its time, so that its window slides. */
export class SlidingQuotas1795900100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE verification_quota ADD COLUMN uses jsonb NOT NULL DEFAULT '[]'`);
    await runner.query(
      `UPDATE verification_quota SET uses = jsonb_build_array(jsonb_build_object('amount', used, 'at', (extract(epoch FROM
         CASE quota WHEN 'credits' THEN date_trunc('day', since, 'UTC') ELSE since END) * 1000)::bigint)) WHERE used > 0`,
    );
    await runner.query(`ALTER TABLE verification_quota DROP COLUMN used`);
    await runner.query(`ALTER TABLE verification_quota RENAME COLUMN since TO used_at`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE verification_quota RENAME COLUMN used_at TO since`);
    await runner.query(`ALTER TABLE verification_quota ADD COLUMN used integer NOT NULL DEFAULT 0`);
    await runner.query(
      `UPDATE verification_quota SET used = (SELECT COALESCE(sum((u ->> 'amount')::integer), 0) FROM jsonb_array_elements(uses) AS u)`,
    );
    await runner.query(`ALTER TABLE verification_quota DROP COLUMN uses`);
  }
}
