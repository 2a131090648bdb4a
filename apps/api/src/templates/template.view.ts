import type { TemplateEvent } from '@signalbox/database/templates/reviews';
import type { NewTemplate, TemplateRow } from '@signalbox/database/templates/templates';
import { templateChanges } from '@signalbox/domain/templates/changes';
import { lintTemplate, reviewTemplate } from '@signalbox/domain/templates/lint';
import { EDITS_PER_MONTH, templateWireStatus } from '@signalbox/domain/templates/status';
import {
  CATEGORIES,
  type TemplateComponent,
  type TemplateContent,
} from '@signalbox/domain/templates/template';
import { type Static, Type } from 'typebox';
import { COUNT, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

const COMPONENTS = Type.Unsafe<TemplateComponent[]>({
  type: 'array',
  items: {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string' } },
    additionalProperties: true,
  },
});

const Registration = model('ChatTemplateRegistration', 'The template as its provider has it.', {
  gateway: TEXT,
  gatewayTemplateId: nullable(TEXT, "The provider's id; null until it has one."),
  status: nullable(TEXT, "The status in the provider's words."),
  reason: nullable(TEXT),
  quality: nullable(TEXT),
  comingCategory: nullable(oneOf(CATEGORIES), 'The category that the provider will change it to.'),
  problem: nullable(TEXT, 'The reason why the last try failed; it is repeated.'),
});

export const TemplateView = model('ChatTemplate', 'A chat-app template in one language.', {
  id: ID,
  name: TEXT,
  category: oneOf(CATEGORIES),
  language: TEXT,
  components: COMPONENTS,
  status: oneOf(['Pending', 'Approved', 'Rejected', 'Paused']),
  chatAccountId: Type.Integer(),
  rejectionReason: nullable(TEXT),
  editsLeftToday: COUNT,
  editsLeftThisMonth: COUNT,
  createdAt: TIME,
  updatedAt: TIME,
  allow_category_change: Type.Optional(Type.Boolean({ description: 'Present when it was given.' })),
  code_expiration_minutes: Type.Optional(Type.Integer({ description: 'Present when it was given.' })),
  registration: Type.Optional(Registration),
});
export type TemplateView = Static<typeof TemplateView>;

export const CreatedTemplates = model(
  'CreatedChatTemplates',
  'The response to the creation of templates; `id` is the id of the first.',
  { id: ID, data: Type.Array(TemplateView), totalCount: COUNT, message: TEXT, error: Type.Null() },
);
export type CreatedTemplates = Static<typeof CreatedTemplates>;

export const TemplateEventView = model(
  'ChatTemplateEvent',
  'An event in the history of a template, with the content of its version.',
  {
    event: TEXT,
    version: COUNT,
    actor: Type.String({ description: '`user:<id>`, `api-key:<id>`, or the review that decided.' }),
    actorName: nullable(TEXT, 'Name of the user or API key; null for any other actor.'),
    reason: nullable(TEXT),
    at: TIME,
    category: oneOf(CATEGORIES),
    components: COMPONENTS,
    changes: Type.Array(
      Type.Object({
        field: Type.String({ description: '`category`, or a path such as `BODY.text`.' }),
        before: nullable(TEXT, 'Null when the field was added.'),
        after: nullable(TEXT, 'Null when the field was removed.'),
      }),
      { description: 'Fields that an edit changed; empty for other events.' },
    ),
  },
);
export type TemplateEventView = Static<typeof TemplateEventView>;

export function templateView(row: TemplateRow): TemplateView {
  const { registration, allowCategoryChange, codeExpirationMinutes, ...template } = row;
  return show(TemplateView, {
    ...template,
    status: templateWireStatus(row.status),
    ...(allowCategoryChange && { allow_category_change: true }),
    ...(codeExpirationMinutes !== null && { code_expiration_minutes: codeExpirationMinutes }),
    ...(registration && { registration }),
  });
}

/** The answer for templates that are about to be stored. */
export function createdTemplates(templates: NewTemplate[], at: Date): CreatedTemplates {
  const fresh = {
    status: 'PENDING',
    version: 1,
    rejectionReason: null,
    editsLeftToday: 1,
    editsLeftThisMonth: EDITS_PER_MONTH,
    registration: null,
  } as const;
  const data = templates.map((template) =>
    templateView({ ...template, ...fresh, createdAt: at, updatedAt: at }),
  );
  const message = data.length === 1 ? 'The template was created.' : `${data.length} templates were created.`;
  return { id: data[0]!.id, data, totalCount: data.length, message, error: null };
}

export function templateEventView(row: TemplateEvent & { actorName: string | null }): TemplateEventView {
  const { event, version, actor, actorName, reason, createdAt, category, components, before } = row;
  const changes = before === null ? [] : templateChanges(before, row);
  return {
    event,
    version,
    actor,
    actorName,
    reason,
    at: createdAt.toISOString(),
    category,
    components,
    changes,
  };
}

export const TemplateDryRun = model(
  'TemplateDryRun',
  'The response to a dry run: what a reviewer would find in the wording of the template.',
  {
    id: Type.Null(),
    data: Type.Object({
      findings: Type.Array(
        Type.Object({
          field: Type.String({ description: 'Path of the field: `components[1].buttons[0].url`.' }),
          rule: TEXT,
          message: TEXT,
        }),
      ),
      decision: oneOf(['approve', 'reject'], 'The decision of the automatic review.'),
      category: nullable(oneOf(CATEGORIES), 'The category after an approval; null after a rejection.'),
    }),
    message: TEXT,
    error: Type.Null(),
  },
);
export type TemplateDryRun = Static<typeof TemplateDryRun>;

/** The answer for a template that is valid, whatever its wording. */
export function templateDryRun(content: TemplateContent): TemplateDryRun {
  const review = reviewTemplate(content);
  const { decision } = review;
  const category = review.decision === 'approve' ? review.category : null;
  const message = 'The template is valid. Nothing was stored.';
  return { id: null, data: { findings: lintTemplate(content), decision, category }, message, error: null };
}
