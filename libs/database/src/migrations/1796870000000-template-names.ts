import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A template reserves its name and language in a business account, a refused version no longer counts as registered,
 * and a status has a time, so that a late one is skipped. Of templates that share a name the first keeps it. The
 * previous version of the code writes none of the columns.
 */
export class TemplateNames1796870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE template_registration
         DROP COLUMN business_account_id,
         DROP COLUMN reserved_name,
         DROP COLUMN status_at`,
    );
  }
}

const UP = [
  `ALTER TABLE template_registration
     ADD COLUMN business_account_id text,
     ADD COLUMN reserved_name text,
     ADD COLUMN status_at timestamptz`,
  `UPDATE template_registration r
      SET business_account_id = g.settings ->> 'businessAccountId'
     FROM gateway g
    WHERE g.name = r.gateway
      AND g.kind = 'cloud-api'`,
  `UPDATE template_registration
      SET version = CASE WHEN gateway_template_id IS NULL THEN 0 ELSE version - 1 END,
          attempted_version = CASE WHEN gateway_template_id IS NULL THEN 0 ELSE version - 1 END,
          gateway_template_id = CASE WHEN version > 1 THEN gateway_template_id END
    WHERE status = 'REFUSED'
      AND version > 0`,
  `UPDATE template_registration r
      SET reserved_name = named.name
     FROM (
       SELECT r.template_id, t.name || ' ' || t.language AS name,
              row_number() OVER (
                PARTITION BY r.business_account_id, t.name, t.language ORDER BY r.version = 0, r.template_id
              ) AS place
         FROM template_registration r
         JOIN template t ON t.id = r.template_id
        WHERE r.deleted_at IS NULL
          AND r.attempted_version > 0
     ) AS named
    WHERE named.template_id = r.template_id
      AND named.place = 1`,
  `CREATE UNIQUE INDEX template_registration_name
       ON template_registration (business_account_id, reserved_name)
    WHERE deleted_at IS NULL`,
];
