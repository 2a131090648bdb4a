import { toStorableText } from '@signalbox/domain/sanitize';

const MAX_DEPTH = 8;
const MAX_ENTRIES = 200;

/**
 * Copies a parsed JSON value to one that Postgres stores: without undefined members, at most 8 levels deep, with at
 * most 200 members or elements in each, and with storable texts.
 */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((each) => storable(each, depth + 1));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.slice(0, MAX_ENTRIES).map(([key, member]) => [toStorableText(key), storable(member, depth + 1)]),
  );
}
