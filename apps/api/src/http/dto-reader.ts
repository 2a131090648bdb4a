import { MAX_VIOLATIONS } from '../errors/api-error.ts';
import { isObject } from '@signalbox/domain/is-object';
import type { Rule, Violation } from '@signalbox/domain/violation';
import type { Check, DtoPlan, PropertyPlan } from './dto-plan.ts';
import { MAX_IGNORED_FIELDS } from './ignored-fields.ts';

/** The outcome of reading a plain object. */
export interface ReadResult {
  /** An instance of the class with its known properties only; invalid when there are violations. */
  dto: object;
  violations: Violation[];
  /** Paths of properties that the class does not know, or that do not apply to the object. */
  ignored: string[];
}

/**
 * Reads a plain object as an instance of a class. Reports every violation with its path, at most one kind per
 * field.
 */
export function readDto(plan: DtoPlan, source: object): ReadResult {
  const reader = new DtoReader();
  const dto = reader.read(plan, source, '');
  return { dto, violations: reader.violations, ignored: reader.ignored };
}

/** Broken rules after which a value is not checked further. */
const ENDS: ReadonlySet<Rule> = new Set(['invalid_type', 'blank', 'too_many_items']);

type Fields = Record<string, unknown>;

class DtoReader {
  readonly violations: Violation[] = [];
  readonly ignored: string[] = [];

  /** @param path of the object; empty for the whole body */
  read(plan: DtoPlan, source: object, path: string): object {
    const dto = new plan.dtoClass() as Fields;
    for (const name in source) if (!plan.known.has(name)) this.ignore(join(path, name));
    for (const property of plan.properties) take(property, source as Fields, dto);
    for (const property of plan.properties) this.readProperty(property, dto, path);
    return dto;
  }

  private readProperty(property: PropertyPlan, dto: Fields, path: string): void {
    const { name } = property;
    const value = dto[name];
    if (value === undefined && property.isOptional) return;
    if (!applies(property, dto, value)) return this.leaveOut(dto, name, path);
    if (value === null && mayBeAbsent(property, dto)) return;
    if (property.nested === undefined && property.checks.length + property.itemChecks.length === 0) return;
    const at = join(path, name);
    if (value === undefined) this.report(at, 'required', 'is required');
    else if (value === null) this.report(at, 'null_not_allowed', 'must not be null');
    else if (property.nested?.isArray === false) this.readObject(property, dto, value, at);
    else this.readValue(property, dto, value, at);
  }

  /** Drops a field that does not apply: it was not validated. */
  private leaveOut(dto: Fields, name: string, path: string): void {
    if (dto[name] === undefined || dto[name] === null) return;
    dto[name] = undefined;
    this.ignore(join(path, name));
  }

  private readObject(property: PropertyPlan, dto: Fields, value: unknown, at: string): void {
    if (!isObject(value)) return this.report(at, 'invalid_type', 'must be an object');
    if (!this.meets(property.checks, dto, value, at)) return;
    dto[property.name] = this.read(property.nested!.planFor(value), value, at);
  }

  private readValue(property: PropertyPlan, dto: Fields, value: unknown, at: string): void {
    const { nested, checks, itemChecks } = property;
    const isList = nested !== undefined || itemChecks.length > 0;
    if (isList && !Array.isArray(value)) return this.report(at, 'invalid_type', 'must be an array');
    if (!this.meets(checks, dto, value, at) || !isList) return;
    const items = (value as unknown[]).map((item, index) => this.readItem(property, dto, item, at, index));
    if (nested !== undefined) dto[property.name] = items;
  }

  private readItem(
    { nested, itemChecks }: PropertyPlan,
    dto: object,
    item: unknown,
    list: string,
    index: number,
  ): unknown {
    if (item === null) {
      this.report(`${list}[${index}]`, 'null_not_allowed', 'must not be null');
    } else if (nested !== undefined && !isObject(item)) {
      this.report(`${list}[${index}]`, 'invalid_type', 'must be an object');
    } else if (this.meets(itemChecks, dto, item, list, index) && nested !== undefined) {
      return this.read(nested.planFor(item as object), item as object, `${list}[${index}]`);
    }
    return item;
  }

  /**
   * Runs checks up to the first that finds a wrong type or a blank value, since the others would follow from it, or a
   * list that is too long, since they would take their time for each of its items.
   */
  private meets(checks: Check[], dto: object, value: unknown, at: string, index?: number): boolean {
    let isGood = true;
    for (const check of checks) {
      if (check.isMet(dto, value)) continue;
      this.report(index === undefined ? at : `${at}[${index}]`, check.rule, check.message(dto, value));
      isGood = false;
      if (ENDS.has(check.rule)) break;
    }
    return isGood;
  }

  private report(field: string, rule: Rule, message: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ field, rule, message });
  }

  private ignore(path: string): void {
    if (this.ignored.length < MAX_IGNORED_FIELDS) this.ignored.push(path);
  }
}

/** An absent field keeps the default of the class. */
function take(property: PropertyPlan, source: Fields, dto: Fields): void {
  const { name, transforms } = property;
  let value = source[name];
  if (value === undefined || (value === null && property.isOptional)) return;
  for (const transform of transforms) value = transform(value, source);
  dto[name] = value;
}

/** Is true when one of the property's conditions allows it to be absent from this object. */
function mayBeAbsent(property: PropertyPlan, dto: Fields): boolean {
  if (property.conditions.length === 0) return false;
  dto[property.name] = undefined;
  if (!applies(property, dto, undefined)) return true;
  dto[property.name] = null;
  return false;
}

function applies(property: PropertyPlan, dto: object, value: unknown): boolean {
  for (const condition of property.conditions) if (!condition(dto, value)) return false;
  return true;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
