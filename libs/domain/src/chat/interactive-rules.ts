import { MAX_ROWS } from './limits.ts';
import type { Interactive, ListSection } from './message.ts';
import type { Violation } from '../violation.ts';

/** A value, and where it stands. */
interface At {
  path: string;
  value: unknown;
}

/**
 * Every rule that the parts of an interactive message break together, beyond those that each field has for itself (decisions, POST
 * /v1/chatapp): what a recipient chooses from is told apart, and files are shown above
 * reply buttons only. Parts that are not of their types were told of already.
 */
export function checkInteractive({ type, header, action }: Interactive, path: string): Violation[] {
  const showsFile = isObject(header) && header.type !== 'text' && type !== 'button';
  const foreign = showsFile
    ? [
        {
          field: `${path}.header.type`,
          rule: 'not_allowed_value',
          message: 'must be text, but for reply buttons',
        },
      ]
    : [];
  return isObject(action) ? [...foreign, ...checkAction(action, path)] : foreign;
}

function checkAction(action: Interactive['action'], path: string): Violation[] {
  const buttons = objectsOf(`${path}.action.buttons`, action.buttons).filter(({ value }) =>
    isObject(value.reply),
  );
  const sections = objectsOf(`${path}.action.sections`, action.sections);
  const rows = sections.flatMap((section) => objectsOf(`${section.path}.rows`, section.value.rows));
  return [
    ...repeated(buttons.map((at) => ({ path: `${at.path}.reply.id`, value: at.value.reply.id }))),
    ...repeated(buttons.map((at) => ({ path: `${at.path}.reply.title`, value: at.value.reply.title }))),
    ...(sections.length > 1 ? sections.flatMap(untitled) : []),
    ...repeated(rows.map((row) => ({ path: `${row.path}.id`, value: row.value.id }))),
    ...(rows.length > MAX_ROWS
      ? [
          {
            field: `${path}.action.sections`,
            rule: 'too_many_items',
            message: `must have at most ${MAX_ROWS} rows in all`,
          },
        ]
      : []),
  ];
}

function repeated(values: At[]): Violation[] {
  const seen = new Set<unknown>();
  return values.flatMap(({ path, value }) => {
    if (typeof value !== 'string' || !seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ field: path, rule: 'duplicate_item', message: 'must not be there twice' }];
  });
}

function untitled({ path, value: { title } }: { path: string; value: ListSection }): Violation[] {
  if (title !== undefined && (typeof title !== 'string' || /\S/.test(title))) return [];
  return [
    { field: `${path}.title`, rule: 'required', message: 'is required when there are several sections' },
  ];
}

function objectsOf<V extends object>(
  path: string,
  list: readonly V[] | undefined,
): { path: string; value: V }[] {
  if (!Array.isArray(list)) return [];
  return list.map((value: V, i) => ({ path: `${path}[${i}]`, value })).filter(({ value }) => isObject(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
