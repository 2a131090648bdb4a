import type { TemplateContent } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';

/** What a send names a template by; without a language it means any. */
export interface TemplateName {
  accountId: string;
  chatAccountId: number;
  name: string;
  language: string | undefined;
}

/** A template with the version of it that is sent, which never changes. */
export interface SendableTemplate extends TemplateContent {
  id: string;
  version: number;
  name: string;
  language: string;
}

/**
 * The templates that sends name, of several languages the oldest that can be sent. A template under review after an edit is sent as it was
 * approved before.
 *
 * @returns one per name, in order; 'not_approved' when there is one that cannot be sent, undefined when there is none
 */
export async function findSendableTemplates(
  db: EntityManager,
  names: TemplateName[],
): Promise<(SendableTemplate | 'not_approved' | undefined)[]> {
  const rows: (SendableTemplate & { i: number; version: number | null })[] = await db.query(
    `SELECT w.i::integer, found.*
       FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS w(account_id, chat_account_id, name, language, i)
      CROSS JOIN LATERAL (
        SELECT t.id, v.version, t.name, t.language, CASE t.status WHEN 'APPROVED' THEN t.category ELSE v.category END AS category, v.components,
               v.allow_category_change AS "allowCategoryChange", v.code_expiration_minutes AS "codeExpirationMinutes"
          FROM template t
          LEFT JOIN template_version v ON v.template_id = t.id AND v.version = t.approved_version AND t.status IN ('APPROVED', 'PENDING')
         WHERE t.account_id = w.account_id AND t.chat_account_id = w.chat_account_id AND t.name = w.name
           AND (w.language IS NULL OR t.language = w.language) AND t.deleted_at IS NULL
         ORDER BY v.version IS NULL, t.id LIMIT 1
      ) AS found`,
    [
      names.map(({ accountId }) => accountId),
      names.map(({ chatAccountId }) => chatAccountId),
      names.map(({ name }) => name),
      names.map(({ language }) => language ?? null),
    ],
  );
  const found = new Map(rows.map(({ i, ...template }) => [i - 1, template]));
  return names.map((_, i) => {
    const template = found.get(i);
    return template && template.version === null ? 'not_approved' : template;
  });
}

/** A version of a template as it is filled in. */
export type TemplateVersion = TemplateContent & Pick<SendableTemplate, 'id' | 'version'>;

/** Versions of templates, those of deleted templates too: messages that name them go on. */
export function listTemplateVersions(
  db: EntityManager,
  versions: readonly Pick<TemplateVersion, 'id' | 'version'>[],
): Promise<TemplateVersion[]> {
  return db.query(
    `SELECT v.template_id AS id, v.version, v.category, v.components, v.allow_category_change AS "allowCategoryChange",
            v.code_expiration_minutes AS "codeExpirationMinutes"
       FROM unnest($1::uuid[], $2::integer[]) AS w(id, version) JOIN template_version v ON v.template_id = w.id AND v.version = w.version`,
    [versions.map(({ id }) => id), versions.map(({ version }) => version)],
  );
}
