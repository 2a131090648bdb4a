import type { TemplateEvent } from '@signalbox/database/templates/reviews';
import type { NewTemplate, TemplateRow } from '@signalbox/database/templates/templates';
import type { Category, TemplateComponent, TemplateContent } from '@signalbox/domain/templates/template';
import { EDITS_PER_MONTH, templateWireStatus } from '@signalbox/domain/templates/status';

/** A template. The two options at the end are present when they were given. */
export interface TemplateView {
  id: string;
  name: string;
  category: Category;
  language: string;
  components: TemplateComponent[];
  status: string;
  chatAccountId: number;
  rejectionReason: string | null;
  editsLeftToday: number;
  editsLeftThisMonth: number;
  createdAt: string;
  updatedAt: string;
  allow_category_change?: boolean;
  code_expiration_minutes?: number;
}

/** The answer to the creation of templates; `id` is the id of the first. */
export interface CreatedTemplates {
  id: string;
  data: TemplateView[];
  totalCount: number;
  message: string;
  error: null;
}

/** An event in the history of a template, with the content of its version. */
export interface TemplateEventView {
  event: string;
  version: number;
  actor: string;
  reason: string | null;
  at: string;
  category: Category;
  components: TemplateComponent[];
}

export function templateView(row: TemplateRow): TemplateView {
  const {
    id,
    name,
    category,
    language,
    components,
    chatAccountId,
    rejectionReason,
    editsLeftToday,
    editsLeftThisMonth,
  } = row;
  return {
    id,
    name,
    category,
    language,
    components,
    status: templateWireStatus(row.status),
    chatAccountId,
    rejectionReason,
    editsLeftToday,
    editsLeftThisMonth,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.allowCategoryChange && { allow_category_change: true }),
    ...(row.codeExpirationMinutes !== null && { code_expiration_minutes: row.codeExpirationMinutes }),
  };
}

/** The answer for templates that are about to be stored. */
export function createdTemplates(templates: NewTemplate[], at: Date): CreatedTemplates {
  const fresh = {
    status: 'PENDING',
    version: 1,
    rejectionReason: null,
    editsLeftToday: 1,
    editsLeftThisMonth: EDITS_PER_MONTH,
  } as const;
  const data = templates.map((template) =>
    templateView({ ...template, ...fresh, createdAt: at, updatedAt: at }),
  );
  const message = data.length === 1 ? 'The template was created.' : `${data.length} templates were created.`;
  return { id: data[0]!.id, data, totalCount: data.length, message, error: null };
}

export function templateEventView(
  row: TemplateEvent & Pick<TemplateContent, 'category' | 'components'>,
): TemplateEventView {
  const { event, version, actor, reason, createdAt, category, components } = row;
  return { event, version, actor, reason, at: createdAt.toISOString(), category, components };
}
