import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { ApiError, MAX_VIOLATIONS, invalidRequest } from '../errors/api-error.ts';
import type { Violation } from '@signalbox/domain/violation';
import { planOf } from './dto-plan.ts';
import { readDto } from './dto-reader.ts';
import { unknownParameters } from './unknown-parameters.ts';
import { rememberIgnored } from './ignored-fields.ts';
import { inspectInput, isStorableText } from './inspect-input.ts';

const GIVEN_ONCE = 'must be given once';

/** Types of parameters without rules. */
const BARE_TYPES = new Set<unknown>([undefined, Object, String, Number, Boolean, Array]);

/**
 * Converts bodies, queries and path parameters into instances of their DTO classes, or refuses them with every
 * violation.
 */
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'custom') return value;
    if (type === 'body') requireBody(value, data);
    else requireStorable(value, data);
    return BARE_TYPES.has(metatype)
      ? requireText(value, metatype, data)
      : read(metatype!, value, type === 'query');
  }
}

function requireBody(value: unknown, data: string | undefined): void {
  if (value === undefined && data === undefined)
    throw new ApiError('malformed_json', 'The body is empty; send a JSON object.');
}

/**
 * Refuses text that Postgres cannot store. Bodies were inspected when they were parsed; URLs arrive decoded by the
 * router.
 */
function requireStorable(value: unknown, name: string | undefined): void {
  if (typeof value === 'string' && !isStorableText(value)) throw invalidText(name);
  if (typeof value !== 'object' || value === null) return;
  const violations = inspectInput(value, true);
  if (violations.length > 0) throw invalidRequest(violations);
}

function invalidText(name = 'query'): ApiError {
  return invalidRequest([
    { field: name, rule: 'invalid_character', message: 'must not hold U+0000 or a lone surrogate' },
  ]);
}

/** Requires a parameter declared as a string to be one: `?a=1&a=2` yields an array. */
function requireText(value: unknown, metatype: unknown, name = 'query'): unknown {
  if (metatype !== String || value === undefined || typeof value === 'string') return value;
  throw invalidRequest([{ field: name, rule: 'invalid_type', message: GIVEN_ONCE }]);
}

/** A DTO class with rules that span several fields. */
interface CheckedClass {
  /** Unknown query parameters are ignored and named in Ignored-Fields, as unknown fields of a body are. */
  ignoresUnknown?: boolean;
  /** Unknown fields of a body are refused, not ignored. The texts explain fields that callers may expect, by name. */
  refusesUnknown?: Readonly<Record<string, string>>;
  /**
   * Fills the fields that are derived from others, and checks rules that span several fields.
   *
   * @param passed the fields that met their own rules; the same object as `dto` when all did
   */
  check?(dto: object, passed: object): Violation[];
}

function read(metatype: Function & CheckedClass, value: unknown, isQuery: boolean): object {
  const source = typeof value === 'object' && value !== null ? value : {};
  const plan = planOf(metatype);
  const { dto, violations, ignored } = readDto(plan, source);
  if (isQuery) nameRepeated(violations, source as Record<string, unknown>);
  const isStrict = isQuery && metatype.ignoresUnknown !== true;
  if (isStrict && ignored.length > 0) throw unknownParameters(ignored, [...plan.known]);
  if (metatype.refusesUnknown) addNew(violations, unknownFields(ignored, metatype.refusesUnknown));
  // At the cap not every broken field is known, so that none can be taken for sound.
  if (metatype.check !== undefined && violations.length < MAX_VIOLATIONS)
    addNew(violations, metatype.check(dto, passedFields(dto, violations)));
  if (ignored.length > 0) rememberIgnored(source, ignored);
  if (violations.length > 0) throw invalidRequest(violations);
  return dto;
}

/** Says of a parameter that is wrong because it was given several times, which made it a list, that it was. */
function nameRepeated(violations: Violation[], query: Record<string, unknown>): void {
  for (const violation of violations)
    if (violation.rule === 'invalid_type' && Array.isArray(query[violation.field]))
      violation.message = GIVEN_ONCE;
}

function unknownFields(fields: readonly string[], explained: Readonly<Record<string, string>>): Violation[] {
  return fields.map((field) => ({
    field: field.slice(0, 200),
    rule: 'unknown_field',
    message: Object.hasOwn(explained, field)
      ? explained[field]!
      : 'is not a field of this request; check its spelling, or leave it out',
  }));
}

/** A broken member breaks the top-level field that holds it. */
function passedFields(dto: object, violations: readonly Violation[]): object {
  if (violations.length === 0) return dto;
  const broken = new Set(violations.map(({ field }) => field.split(/[.[]/, 1)[0]));
  return Object.fromEntries(Object.entries(dto).filter(([name]) => !broken.has(name)));
}

/** Keeps the first violation of each field. */
function addNew(violations: Violation[], more: Violation[]): void {
  const reported = new Set(violations.map(({ field }) => field));
  violations.push(...more.filter(({ field }) => !reported.has(field)));
}
