import type { TemplateContent } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** The name by which a send refers to a template; without a language it means any. */
export interface TemplateName {
  accountId: string;
  chatAccountId: number;
  name: string;
  language: string | undefined;
}

/** A template with the version that is sent, which never changes. */
export interface SendableTemplate extends TemplateContent {
  id: string;
  version: number;
  name: string;
  language: string;
}

const NAMES = rowset('wanted', {
  account_id: 'uuid',
  chat_account_id: 'bigint',
  name: 'text',
  language: 'text',
  i: ['integer', (_name: TemplateName, i) => i],
});

const FIND = sql`
  SELECT wanted.i, found.*
    FROM ${NAMES.from}
   CROSS JOIN LATERAL (
     SELECT t.id, tv.version, t.name, t.language,
            CASE
              WHEN t.status = 'APPROVED' AND (t.category = 'AUTHENTICATION') = (tv.category = 'AUTHENTICATION')
              THEN t.category
              ELSE tv.category
            END AS category,
            tv.components, tv.allow_category_change AS "allowCategoryChange",
            tv.code_expiration_minutes AS "codeExpirationMinutes"
       FROM template t
       LEFT JOIN template_version tv
         ON tv.template_id = t.id
        AND tv.version = t.approved_version
        AND t.status IN ('APPROVED', 'PENDING')
      WHERE t.account_id = wanted.account_id
        AND t.chat_account_id = wanted.chat_account_id
        AND t.name = wanted.name
        AND (wanted.language IS NULL OR t.language = wanted.language)
        AND t.deleted_at IS NULL
      ORDER BY tv.version IS NULL, t.id
      LIMIT 1
   ) AS found`;

/**
 * Finds the templates that sends name; of several languages the oldest that can be sent. A template under review after
 * an edit is sent as it was approved before. It has the category that the review gave it, unless only one of that and the
 * category of the version is AUTHENTICATION: messages are rendered from the version, which then decides.
 *
 * @returns one per name, in order; 'not_approved' when there is one that cannot be sent, undefined when there is none
 */
export async function findSendableTemplates(
  db: EntityManager,
  names: TemplateName[],
): Promise<(SendableTemplate | 'not_approved' | undefined)[]> {
  const rows: (SendableTemplate & { i: number; version: number | null })[] = await db.query(
    FIND,
    NAMES.values(names),
  );
  const found = new Map(rows.map(({ i, ...template }) => [i, template]));
  return names.map((_, i) => {
    const template = found.get(i);
    return template && template.version === null ? 'not_approved' : template;
  });
}

/** A version of a template as it is rendered. */
export type TemplateVersion = TemplateContent & Pick<SendableTemplate, 'id' | 'version'>;

const VERSIONS = rowset('wanted', { id: 'uuid', version: 'integer' });

const LIST_VERSIONS = sql`
  SELECT tv.template_id AS id, tv.version, tv.category, tv.components,
         tv.allow_category_change AS "allowCategoryChange", tv.code_expiration_minutes AS "codeExpirationMinutes"
    FROM ${VERSIONS.from}
    JOIN template_version tv ON tv.template_id = wanted.id AND tv.version = wanted.version`;

/** Lists versions of templates, including those of deleted templates: messages that name them proceed. */
export function listTemplateVersions(
  db: EntityManager,
  versions: readonly Pick<TemplateVersion, 'id' | 'version'>[],
): Promise<TemplateVersion[]> {
  return db.query(LIST_VERSIONS, VERSIONS.values(versions));
}
