import { CATEGORIES, type Category } from '@signalbox/domain/templates/template';
import type { TemplateNews } from '../provider-news.ts';
import { type JsonObject, asObject, idOf, textOf } from './json.ts';

const MAX_REASON = 1_000;

/** The fields of a subscription that concern templates. */
export const TEMPLATE_FIELDS: ReadonlySet<unknown> = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'template_category_update',
]);

/** Reads a change about one template: its status, its quality or its category. */
export function readTemplateNews(value: JsonObject, at: Date): TemplateNews | undefined {
  const gatewayTemplateId = idOf(value['message_template_id']);
  if (gatewayTemplateId === undefined) return undefined;
  const status = textOf(value['event']);
  const quality = textOf(value['new_quality_score']);
  const category = categoryOf(value['new_category']);
  const coming = categoryOf(value['correct_category']);
  if (!status && !quality && !category && !coming) return undefined;
  const reason = reasonOf(value);
  return {
    gatewayTemplateId,
    name: textOf(value['message_template_name']) ?? '',
    language: textOf(value['message_template_language']) ?? '',
    ...(status !== undefined && { status }),
    ...(quality !== undefined && { quality }),
    ...(category !== undefined && { category }),
    ...(coming !== undefined && { comingCategory: coming }),
    ...(reason !== undefined && { reason }),
    at,
  };
}

/** Returns a category of ours; undefined for another word. */
export function categoryOf(word: unknown): Category | undefined {
  const upper = typeof word === 'string' ? word.toUpperCase() : undefined;
  return CATEGORIES.find((category) => category === upper);
}

/** Joins the fields in which Meta explains a rejection or a pause. */
function reasonOf(value: JsonObject): string | undefined {
  const rejection = asObject(value['rejection_info']);
  const other = asObject(value['other_info']);
  const stated = [
    value['reason'] === 'NONE' ? undefined : value['reason'],
    rejection?.['reason'],
    rejection?.['recommendation'],
    other?.['title'],
    other?.['description'],
    asObject(value['disable_info'])?.['disable_date'],
  ].flatMap((text) => textOf(text) ?? []);
  return stated.length === 0 ? undefined : stated.join('. ').slice(0, MAX_REASON);
}
