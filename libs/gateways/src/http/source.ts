import { isObject } from '@signalbox/domain/is-object';
import { toStorableText } from '@signalbox/domain/sanitize';
import { RE2JS } from 're2js';

/** A body that was read: its text, and its value if it has a structure. */
export interface ReadBody {
  text: string;
  value: unknown;
}

/** Finds the values of a source in a body, in order; none when the body lacks it. */
export type Source = (body: ReadBody) => string[];

/** A path or pattern that cannot be used; the message says what to change. */
export class SourceError extends Error {
  override name = 'SourceError';
}

const MAX_LENGTH = 200;
const MAX_VALUES = 10_000;
const STEP = /\.?([^.[\]]+)|\[(?:(\d{1,4})|(\*)|([^[\]]+))\]/gy;

/**
 * Compiles a source: a path as `messages[0].status` or `results[*].id`, or a pattern between slashes as `/^ok (\d+)/i`,
 * whose first group is the value. Patterns run on RE2, whose time is linear in the text.
 *
 * @throws SourceError
 */
export function compileSource(source: string): Source {
  if (source.length > MAX_LENGTH) throw new SourceError(`must be at most ${MAX_LENGTH} characters`);
  if (source.startsWith('/')) {
    const matches = compilePattern(source);
    return ({ text }) => matches(text);
  }
  const find = compilePath(source);
  return ({ value }) => find(value).flatMap((found) => textOf(found) ?? []);
}

/** Compiles a pattern between slashes, with the flag `i` or none. Returns its first group, else the whole match. */
export function compilePattern(source: string): (text: string) => string[] {
  const [, pattern, flags] = /^\/(.*)\/(i?)$/s.exec(source) ?? [];
  if (pattern === undefined)
    throw new SourceError('must be a pattern between slashes, such as /^error (\\d+)/ or /^error (\\d+)/i');
  const compiled = compileRe2(pattern, flags === 'i');
  return (text) => {
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return [];
    const group = matcher.groupCount() > 0 ? matcher.group(1) : matcher.group(0);
    return group === null || group === undefined ? [] : [toStorableText(group)];
  };
}

function compileRe2(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new SourceError(
      `has a pattern that RE2 refuses: ${error instanceof Error ? error.message : 'unknown'}; it has no look-around and no back-reference`,
      { cause: error },
    );
  }
}

const EACH = Symbol('each item');
type Step = string | number | typeof EACH;

/** Compiles a path to a function that lists the values it leads to. @throws SourceError */
export function compilePath(path: string): (value: unknown) => unknown[] {
  const steps = parseSteps(path);
  return (value) => {
    if (isObject(value) && Object.hasOwn(value, path)) return [value[path]];
    return steps.reduce<unknown[]>((found, step) => take(found, step), [value]);
  };
}

function parseSteps(path: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const match of path.matchAll(STEP)) {
    end = match.index + match[0].length;
    steps.push(stepOf(match));
  }
  if (end !== path.length || path.length > MAX_LENGTH)
    throw new SourceError('must be a path such as messages[0].status or results[*].id');
  return steps;
}

function stepOf([, name, index, each, quoted]: RegExpMatchArray): Step {
  if (each !== undefined) return EACH;
  return index === undefined ? (name ?? quoted ?? '') : Number(index);
}

function take(found: unknown[], step: Step): unknown[] {
  return found.flatMap((value) => stepInto(value, step)).slice(0, MAX_VALUES);
}

function stepInto(value: unknown, step: Step): unknown[] {
  if (step === EACH) return Array.isArray(value) ? value : [value];
  if (typeof step === 'number') return Array.isArray(value) && step < value.length ? [value[step]] : [];
  return isObject(value) && Object.hasOwn(value, step) ? [value[step]] : [];
}

/** Converts a scalar to text that can be stored, of at most 4,096 characters; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return toStorableText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
