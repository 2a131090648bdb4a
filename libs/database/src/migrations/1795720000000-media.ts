import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Uploaded files. The row comes first and knows the file by its id, so that no file is without one: whatever is neither
 * finished nor used by a template when it expires is swept, the file before the row.
 */
export class Media1795720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE media`);
  }
}

const STATEMENTS = [
  `CREATE TABLE media (
     id uuid CONSTRAINT media_pkey PRIMARY KEY,
     account_id uuid NOT NULL CONSTRAINT media_account REFERENCES account,
     handle text NOT NULL CONSTRAINT media_handle UNIQUE,
     kind text CONSTRAINT media_kind CHECK (kind IN ('IMAGE', 'VIDEO', 'DOCUMENT')),
     mime_type text,
     size_bytes integer CONSTRAINT media_size CHECK (size_bytes > 0),
     stored_at timestamptz,
     used_at timestamptz,
     expires_at timestamptz NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT media_stored_is_known CHECK (stored_at IS NULL OR (kind IS NOT NULL AND mime_type IS NOT NULL AND size_bytes IS NOT NULL))
   )`,
  `CREATE INDEX media_abandoned ON media (expires_at) WHERE used_at IS NULL`,
];
