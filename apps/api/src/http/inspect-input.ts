import { MAX_VIOLATIONS } from '../errors/api-error.ts';
import type { Rule, Violation } from '@signalbox/domain/violation';

/** Maximum nesting of a body; the body itself is the first level. */
const MAX_DEPTH = 32;

/** Maximum members of one object. */
const MAX_KEYS = 1_000;

const MAX_PATH_LENGTH = 200;

/** Names that could reach a prototype when the object is copied. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Finds what no field of any request may hold: excessive nesting, too many members, names that reach prototypes,
 * numbers beyond a double, and text that Postgres refuses (U+0000, lone surrogates).
 *
 * @param mayHoldBadText false when no string can hold U+0000 or a lone surrogate
 */
export function inspectInput(input: object, mayHoldBadText: boolean): Violation[] {
  const inspection = new Inspection(mayHoldBadText);
  inspection.visit(input, 0);
  return inspection.violations;
}

/** True if Postgres can store the text: it holds neither U+0000 nor a lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Walks an object. One array holds the current path, so that a valid body costs no allocations. */
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

  private report(depth: number, rule: Rule, message: string): void {
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
