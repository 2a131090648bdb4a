import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys that sealed values, so that a process with another key is refused when it starts. */
export class SecretsKeys1796770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE secrets_key (
        id bytea NOT NULL CONSTRAINT secrets_key_pkey PRIMARY KEY,
        first_used_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT secrets_key_length CHECK (octet_length(id) = 4)
      )`);
    await runner.query(`
      INSERT INTO secrets_key (id)
      SELECT substring(sealed_secret FOR 4) FROM webhook
       UNION
      SELECT substring(sealed_secrets FOR 4) FROM gateway WHERE sealed_secrets IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE secrets_key');
  }
}
