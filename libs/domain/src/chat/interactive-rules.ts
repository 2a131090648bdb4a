import { isObjectOrList } from '../is-object.ts';
import { type Located, objectsOf } from '../located.ts';
import { type Violation, violation } from '../violation.ts';
import { MAX_ROWS } from './limits.ts';
import type { Interactive, ListSection } from './message.ts';

/**
 * Checks the rules that involve several fields of an interactive message: options must be distinct, and only
 * reply-button messages may have a media header. Fields of the wrong type are skipped.
 */
export function checkInteractive({ type, header, action }: Interactive, path: string): Violation[] {
  const hasMisplacedFile = isObjectOrList(header) && header.type !== 'text' && type !== 'button';
  return [
    ...(hasMisplacedFile
      ? [violation(`${path}.header.type`, 'not_allowed_value', 'must be text, but for reply buttons')]
      : []),
    ...(isObjectOrList(action) ? checkAction(action, path) : []),
  ];
}

function checkAction(action: Interactive['action'], path: string): Violation[] {
  const buttons = objectsOf(`${path}.action.buttons`, action.buttons);
  const replies = buttons.flatMap((button) =>
    isObjectOrList(button.value.reply) ? [{ path: `${button.path}.reply`, value: button.value.reply }] : [],
  );
  const sections = objectsOf(`${path}.action.sections`, action.sections);
  const rows = sections.flatMap((section) => objectsOf(`${section.path}.rows`, section.value.rows));
  return [
    ...repeated(replies, 'id'),
    ...repeated(replies, 'title'),
    ...(sections.length > 1 ? sections.flatMap(untitled) : []),
    ...repeated(rows, 'id'),
    ...(rows.length > MAX_ROWS
      ? [violation(`${path}.action.sections`, 'too_many_items', `must have at most ${MAX_ROWS} rows in all`)]
      : []),
  ];
}

/** Finds the objects whose text under a key is that of an earlier one. */
function repeated<K extends string>(objects: Located<Partial<Record<K, unknown>>>[], key: K): Violation[] {
  const seen = new Set<unknown>();
  return objects.flatMap(({ path, value: { [key]: text } }) => {
    if (typeof text === 'string' && seen.has(text))
      return [violation(`${path}.${key}`, 'duplicate_item', 'must not be there twice')];
    seen.add(text);
    return [];
  });
}

function untitled({ path, value: { title } }: Located<ListSection>): Violation[] {
  if (title !== undefined && (typeof title !== 'string' || /\S/.test(title))) return [];
  return [violation(`${path}.title`, 'required', 'is required when there are several sections')];
}
