import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const BY_STEP = [
  [
    'template_registration_step',
    `template (
       (CASE
          WHEN registered_version IS NULL THEN 'none'
          WHEN deleted_at IS NOT NULL THEN 'delete'
          WHEN status <> 'PENDING' THEN 'none'
          WHEN registered_version < version THEN 'send'
          ELSE 'decide'
        END),
       registered_with
     )`,
  ],
] as const;

/**
 * Stores with each template the version that its provider has, null without an open registration, and indexes templates
 * by the next step of their registration, so that those with one are found without the others. An expression has
 * statistics, which the predicate of a partial index has not. The trigger of `registered_with` keeps the version, because the
 * previous version of the code writes registrations too.
 */
export class RegistrationSteps1796975000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
    await buildIndexes(runner, BY_STEP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndexes(runner, BY_STEP);
    for (const statement of DOWN) await runner.query(statement);
  }
}

const noteOn = (columns: string): string =>
  `CREATE OR REPLACE TRIGGER template_registration_noted
   AFTER INSERT OR DELETE OR UPDATE OF ${columns} ON template_registration
   FOR EACH ROW EXECUTE FUNCTION note_template_registration()`;

/** Each may be repeated after an interruption. */
const UP = [
  `ALTER TABLE template ADD COLUMN IF NOT EXISTS registered_version integer`,
  `CREATE OR REPLACE FUNCTION note_template_registration() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     registration text := CASE TG_OP WHEN 'DELETE' THEN 'none' ELSE concat(NEW.gateway, ' ', NEW.business_account_id) END;
     newest integer := CASE WHEN TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN NEW.version END;
   BEGIN
     UPDATE template
        SET registered_with = registration, registered_version = newest
      WHERE id = COALESCE(NEW.template_id, OLD.template_id)
        AND (registered_with <> registration OR registered_version IS DISTINCT FROM newest);
     RETURN NULL;
   END $$`,
  noteOn('gateway, business_account_id, version, deleted_at'),
  `UPDATE template t
      SET registered_version = r.version
     FROM (
       -- locked, so that what changes meanwhile is seen, and in the order in which registrations are locked
       SELECT template_id, version
         FROM template_registration
        WHERE deleted_at IS NULL
        ORDER BY template_id
          FOR SHARE
     ) AS r
    WHERE t.id = r.template_id
      AND t.registered_version IS DISTINCT FROM r.version`,
];

const DOWN = [
  noteOn('gateway, business_account_id'),
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
  `ALTER TABLE template DROP COLUMN registered_version`,
];
