import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const BY_REGISTRATION = [
  ['template_of_registration', 'template (chat_account_id, registered_with, id) WHERE deleted_at IS NULL'],
] as const;

/**
 * Stores with each template the gateway and the business account of its registration, and indexes them, so that the
 * templates of a chat account without the right one are found without the others. A trigger keeps the column, because the
 * previous version of the code writes registrations too.
 */
export class RegisteredTemplates1796973000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
    await buildIndexes(runner, BY_REGISTRATION);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndexes(runner, BY_REGISTRATION);
    for (const statement of DOWN) await runner.query(statement);
  }
}

/** Each may be repeated after an interruption. */
const UP = [
  `ALTER TABLE template ADD COLUMN IF NOT EXISTS registered_with text COLLATE "C" NOT NULL DEFAULT 'none'`,
  `CREATE OR REPLACE FUNCTION note_template_registration() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     registration text := CASE TG_OP WHEN 'DELETE' THEN 'none' ELSE concat(NEW.gateway, ' ', NEW.business_account_id) END;
   BEGIN
     UPDATE template
        SET registered_with = registration
      WHERE id = COALESCE(NEW.template_id, OLD.template_id)
        AND registered_with <> registration;
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE TRIGGER template_registration_noted
     AFTER INSERT OR DELETE OR UPDATE OF gateway, business_account_id ON template_registration
     FOR EACH ROW EXECUTE FUNCTION note_template_registration()`,
  `UPDATE template t
      SET registered_with = concat(r.gateway, ' ', r.business_account_id)
     FROM (
       -- locked, so that what changes meanwhile is seen, and in the order in which registrations are locked
       SELECT template_id, gateway, business_account_id
         FROM template_registration
        ORDER BY template_id
          FOR SHARE
     ) AS r
    WHERE t.id = r.template_id
      AND t.registered_with <> concat(r.gateway, ' ', r.business_account_id)`,
];

const DOWN = [
  `DROP TRIGGER template_registration_noted ON template_registration`,
  `DROP FUNCTION note_template_registration()`,
  `ALTER TABLE template DROP COLUMN registered_with`,
];
