import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The binds that workers hold at gateways, each under a lease. Its few rows are rewritten every few seconds. */
export class BindSlots1796415000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE bind_slot (
         gateway text NOT NULL,
         slot smallint NOT NULL CHECK (slot >= 0),
         holder uuid NOT NULL,
         leased_until timestamptz NOT NULL,
         CONSTRAINT bind_slot_pkey PRIMARY KEY (gateway, slot)
       ) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 1000)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE bind_slot`);
  }
}
