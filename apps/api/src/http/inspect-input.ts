import { MAX_VIOLATIONS } from '../errors/api-error.ts';
import type { Violation } from '@signalbox/domain/violation';

/** How deep a body may be nested; the body itself is the first level (decisions, Common rules). */
const MAX_DEPTH = 32;

/** How many members one object may have. */
const MAX_KEYS = 1_000;

const MAX_PATH_LENGTH = 200;

/** Names that could reach a prototype when somebody copies the object. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Finds what no field of any request may hold, whatever its rules: too much nesting, too many keys, keys that reach
 * prototypes, numbers beyond JSON's range, and text that Postgres refuses (U+0000, lone surrogates).
 *
 * @param mayHoldBadText false when the caller knows that no string in it holds U+0000 or a lone surrogate
 */
export function inspectInput(input: object, mayHoldBadText: boolean): Violation[] {
  const inspection = new Inspection(mayHoldBadText);
  inspection.visit(input, 0);
  return inspection.violations;
}

/** Whether text can be stored: neither U+0000 nor a lone surrogate in it. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The path is one array that follows the walk, so that a good body costs no allocations. */
class Inspection {
  readonly violations: Violation[] = [];
  private readonly path: (string | number)[] = [];

  constructor(private readonly mayHoldBadText: boolean) {}

  visit(value: unknown, depth: number): void {
    if (typeof value === 'string') this.visitText(value, depth);
    else if (typeof value === 'number') this.visitNumber(value, depth);
    else if (typeof value === 'object' && value !== null) this.visitObject(value, depth);
  }

  private visitText(text: string, depth: number): void {
    if (this.mayHoldBadText && !isStorableText(text)) {
      this.report(depth, 'invalid_character', 'must not hold U+0000 or a lone surrogate');
    }
  }

  private visitNumber(value: number, depth: number): void {
    if (!Number.isFinite(value))
      this.report(depth, 'out_of_range', 'must be a number that a double can hold');
  }

  private visitObject(value: object, depth: number): void {
    if (depth === MAX_DEPTH) {
      this.report(depth, 'too_deep', `must not be nested deeper than ${MAX_DEPTH} levels`);
    } else if (Array.isArray(value)) {
      this.visitItems(value, depth);
    } else {
      this.visitMembers(value as Record<string, unknown>, depth);
    }
  }

  private visitItems(items: unknown[], depth: number): void {
    for (let i = 0; i < items.length; i += 1) {
      this.path[depth] = i;
      this.visit(items[i], depth + 1);
    }
  }

  private visitMembers(object: Record<string, unknown>, depth: number): void {
    let count = 0;
    for (const key in object) {
      count += 1;
      if (count > MAX_KEYS)
        return this.report(depth, 'too_many_keys', `must not have more than ${MAX_KEYS} members`);
      this.path[depth] = key;
      if (FORBIDDEN_KEYS.has(key)) this.report(depth + 1, 'forbidden_field', 'is not allowed as a name');
      this.visitText(key, depth + 1);
      this.visit(object[key], depth + 1);
    }
  }

  private report(depth: number, rule: string, message: string): void {
    if (this.violations.length === MAX_VIOLATIONS) return;
    this.violations.push({ field: pathText(this.path, depth), rule, message });
  }
}

/** `['to', 3]` → `to[3]`; the root is called `body`. */
function pathText(path: (string | number)[], depth: number): string {
  let text = '';
  for (const step of path.slice(0, depth)) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'body' : text.slice(0, MAX_PATH_LENGTH);
}
