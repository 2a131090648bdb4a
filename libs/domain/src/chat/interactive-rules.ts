import { type Located, isObject, objectsOf } from '../located.ts';
import { type Violation, violation } from '../violation.ts';
import { MAX_ROWS } from './limits.ts';
import type { Interactive, ListSection } from './message.ts';

/**
 * Checks the rules that involve several fields of an interactive message: options must be distinct, and only
 * reply-button messages may have a media header. Fields of the wrong type are skipped.
 */
export function checkInteractive({ type, header, action }: Interactive, path: string): Violation[] {
  const hasMisplacedFile = isObject(header) && header.type !== 'text' && type !== 'button';
  return [
    ...(hasMisplacedFile
      ? [violation(`${path}.header.type`, 'not_allowed_value', 'must be text, but for reply buttons')]
      : []),
    ...(isObject(action) ? checkAction(action, path) : []),
  ];
}

function checkAction(action: Interactive['action'], path: string): Violation[] {
  const buttons = objectsOf(`${path}.action.buttons`, action.buttons).filter(({ value }) =>
    isObject(value.reply),
  );
  const sections = objectsOf(`${path}.action.sections`, action.sections);
  const rows = sections.flatMap((section) => objectsOf(`${section.path}.rows`, section.value.rows));
  return [
    ...repeated(buttons.map((button) => ({ path: `${button.path}.reply.id`, value: button.value.reply.id }))),
    ...repeated(
      buttons.map((button) => ({ path: `${button.path}.reply.title`, value: button.value.reply.title })),
    ),
    ...(sections.length > 1 ? sections.flatMap(untitled) : []),
    ...repeated(rows.map((row) => ({ path: `${row.path}.id`, value: row.value.id }))),
    ...(rows.length > MAX_ROWS
      ? [violation(`${path}.action.sections`, 'too_many_items', `must have at most ${MAX_ROWS} rows in all`)]
      : []),
  ];
}

function repeated(values: Located<unknown>[]): Violation[] {
  const seen = new Set<unknown>();
  return values.flatMap(({ path, value }) => {
    if (typeof value !== 'string' || !seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [violation(path, 'duplicate_item', 'must not be there twice')];
  });
}

function untitled({ path, value: { title } }: Located<ListSection>): Violation[] {
  if (title !== undefined && (typeof title !== 'string' || /\S/.test(title))) return [];
  return [violation(`${path}.title`, 'required', 'is required when there are several sections')];
}
