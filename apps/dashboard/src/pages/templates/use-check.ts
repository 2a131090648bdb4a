import { useDebouncedValue } from '@mantine/hooks';
import { createChatTemplate, editChatTemplate } from '@signalbox/client';
import { lintTemplate } from '@signalbox/domain/templates/lint';
import { checkTemplate } from '@signalbox/domain/templates/rules';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import type { ClientResult } from '../../api/answer.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { type Draft, componentsOf, creationOf, editOf } from './draft.ts';
import { capitalized } from '../../parts/capitalized.ts';

const PAUSE_MS = 400;

/** A sentence about a field: a broken rule, or what a reviewer would refuse. */
export interface Remark {
  field: string;
  message: string;
}

/** The answer of the api to a draft. */
export interface Check {
  /** True while the answer belongs to an earlier draft. */
  isBusy: boolean;
  broken: readonly Remark[];
  findings: readonly Remark[];
  /** Category that an automatic review would choose. */
  category: string | undefined;
  /** A failure that is about no field. */
  failure: ApiFailure | undefined;
  /** The sentence about a field; none while the field is empty and the draft was not submitted. */
  about: (field: string, value: string) => string | undefined;
}

/** A draft that the api did not save, and why. */
export interface Refusal {
  draft: Draft;
  failure: ApiFailure;
}

interface Verdict {
  findings: Remark[];
  category: string | null;
}

/** Fields to which failures without details belong. */
const FIELDS: Readonly<Record<string, (draft: Draft) => string>> = {
  media_not_found: (draft) => `${pathOf(draft, 'HEADER')}.example.header_handle`,
  chat_account_not_found: () => 'chatAccountId',
};

/** Path of the component of a type within the request. */
export function pathOf(draft: Draft, type: string): string {
  return `components[${componentsOf(draft).findIndex((component) => component.type === type)}]`;
}

/**
 * Lets the api check a draft without storing it, once typing pauses. The fields that a refusal of the same draft names
 * take the place of that check, which may still be of an earlier draft.
 *
 * @param id the template that is edited; undefined for a new one
 * @param refusal of the last save; with one, empty fields show what is missing too
 */
export function useCheck(draft: Draft, id: string | undefined, refusal: Refusal | undefined): Check {
  const [checked] = useDebouncedValue(draft, PAUSE_MS);
  const query = useAnswer<Verdict>(
    ['template-check', id ?? 'new', checked],
    (signal) => tryOut(checked, id, signal),
    {
      keepsPrevious: true,
    },
  );
  const isRefused = refusal?.draft === draft && brokenOf(refusal.failure, draft).length > 0;
  const judged = isRefused ? draft : checked;
  const failure = isRefused ? refusal.failure : query.error;
  const broken = failure ? withLocal(brokenOf(failure, judged), judged) : [];
  const findings = failure ? lintTemplate(contentOf(judged)) : (query.data?.findings ?? []);
  const remarks = [...broken, ...findings];
  return {
    isBusy: draft !== checked || query.isFetching,
    broken,
    findings,
    category: query.data?.category ?? undefined,
    failure: failure && broken.length === 0 ? failure : undefined,
    about: (field, value) => (value === '' && !refusal ? undefined : sentenceAbout(remarks, field)),
  };
}

function tryOut(draft: Draft, id: string | undefined, signal: AbortSignal): ClientResult<{ data: Verdict }> {
  const query = { dryRun: 'true' } as const;
  const call =
    id === undefined
      ? createChatTemplate({ body: creationOf(draft), query, signal })
      : editChatTemplate({ body: editOf(id, draft), query, signal });
  return call as ClientResult<{ data: Verdict }>;
}

/** The broken fields that a refusal names. */
export function brokenOf(failure: ApiFailure, draft: Draft): Remark[] {
  const field = FIELDS[failure.code]?.(draft);
  if (field !== undefined) return [{ field, message: failure.message }];
  return failure.details.map(({ field: path, message }) => ({ field: path, message }));
}

/** Adds what the same rules find here: the api looks at them only when every field has the right form. */
function withLocal(remarks: Remark[], draft: Draft): Remark[] {
  if (remarks.length === 0) return remarks;
  const { category, components, codeExpirationMinutes } = contentOf(draft);
  const found = checkTemplate({
    category,
    components,
    codeExpirationMinutes: codeExpirationMinutes ?? undefined,
  });
  const known = new Set(remarks.map(({ field }) => field));
  return [...remarks, ...found.filter(({ field }) => !known.has(field))];
}

function contentOf(draft: Draft): TemplateContent {
  const { category, allowCategoryChange, codeMinutes } = draft;
  return {
    category,
    components: componentsOf(draft),
    allowCategoryChange,
    codeExpirationMinutes: codeMinutes,
  };
}

function sentenceAbout(remarks: readonly Remark[], field: string): string | undefined {
  const message = remarks.find((remark) => remark.field === field)?.message;
  return message === undefined ? undefined : capitalized(message);
}
