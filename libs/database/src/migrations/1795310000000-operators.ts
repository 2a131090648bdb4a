import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the imported table of the carrier and circle of numbers. */
export class Operators1795310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE operator_import (
         id uuid CONSTRAINT operator_import_pkey PRIMARY KEY,
         source text NOT NULL,
         entries integer NOT NULL,
         imported_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(
      `CREATE TABLE operator_prefix (
         import_id uuid NOT NULL,
         prefix text COLLATE "C" NOT NULL,
         operator text NOT NULL,
         circle text NOT NULL,
         CONSTRAINT operator_prefix_pkey PRIMARY KEY (import_id, prefix)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_prefix, operator_import');
  }
}
