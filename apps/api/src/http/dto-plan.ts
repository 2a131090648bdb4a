import type { Rule } from '@signalbox/domain/violation';
import 'reflect-metadata';
import type { TransformFnParams, TypeOptions } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { ValidationArguments } from 'class-validator';
import { IS_GIVEN } from './is-given.ts';
import { messageOf, ruleOf } from './rule-table.ts';
import type { RuleMetadata } from './rule-table.ts';

/** A class whose properties carry decorators of class-validator and class-transformer. */
export type DtoClass = new () => object;

/** One rule of one property, ready to run. */
export interface Check {
  rule: Rule;
  /** Applies to each item of an array instead of the array itself. */
  each: boolean;
  isMet(dto: object, value: unknown): boolean;
  message(dto: object, value: unknown): string;
}

/** The plan of one property, in the order of use. */
export interface PropertyPlan {
  name: string;
  /** Applied in order to a given value of the plain object `source`. */
  transforms: ((value: unknown, source: object) => unknown)[];
  /** Null counts as absent: the property may be absent, and null is not one of its values. */
  isOptional: boolean;
  /** Conditions that must all hold, or the property does not apply to the object. */
  conditions: ((dto: object, value: unknown) => boolean)[];
  /** The plan of the nested object, or of each object of an array. */
  nested: { isArray: boolean; planFor(value: object): DtoPlan } | undefined;
  /** Rules in order, those of the type first; a value of a wrong type skips the others. */
  checks: Check[];
  itemChecks: Check[];
}

/** The compiled decorators of a class. */
export interface DtoPlan {
  dtoClass: DtoClass;
  properties: PropertyPlan[];
  known: ReadonlySet<string>;
}

const plans = new Map<Function, DtoPlan>();

/**
 * Compiles a class once. class-validator itself would search all decorators on every request.
 *
 * @throws Error for a decorator that requests cannot have: groups, promises, an unknown class
 */
export function planOf(dtoClass: Function): DtoPlan {
  const known = plans.get(dtoClass);
  if (known !== undefined) return known;
  const plan = compile(dtoClass as DtoClass);
  plans.set(dtoClass, plan);
  return plan;
}

function compile(dtoClass: DtoClass): DtoPlan {
  const all = getMetadataStorage().getTargetValidationMetadatas(dtoClass, '', true, false);
  const byProperty = Map.groupBy(all, (metadata) => metadata.propertyName);
  const properties = Array.from(byProperty, ([name, metadatas]) =>
    compileProperty(dtoClass, name, metadatas),
  );
  return { dtoClass, properties, known: new Set(byProperty.keys()) };
}

function compileProperty(dtoClass: DtoClass, name: string, metadatas: RuleMetadata[]): PropertyPlan {
  // Decorators are applied from the bottom up; violations are reported in the order of the source.
  const checks = metadatas
    .toReversed()
    .filter(isCheck)
    .map((metadata) => compileCheck(dtoClass, metadata));
  checks.sort((a, b) => rank(a) - rank(b));
  const conditions = metadatas
    .filter(isCondition)
    .map((metadata) => metadata.constraints[0] as PropertyPlan['conditions'][number]);
  return {
    name,
    transforms: [
      ...wordTransforms(metadatas),
      ...defaultMetadataStorage
        .findTransformMetadatas(dtoClass, name, 0)
        .map(({ transformFn }) => transformOf(name, transformFn)),
    ],
    isOptional: conditions.some(isOptionalBy),
    conditions,
    nested: compileNested(dtoClass, name, metadatas),
    checks: checks.filter((check) => !check.each),
    itemChecks: checks.filter((check) => check.each),
  };
}

function transformOf(
  key: string,
  transform: (params: TransformFnParams) => unknown,
): PropertyPlan['transforms'][number] {
  return (value, obj) => transform({ value, key, obj, type: 0, options: {} } as TransformFnParams);
}

const isCondition = ({ type }: RuleMetadata): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;

/** The condition of `Optional`: it leaves out undefined, whatever the object, and nothing else. */
function isOptionalBy(condition: PropertyPlan['conditions'][number]): boolean {
  return condition === IS_GIVEN;
}

/** Reads the words of a list of allowed ones in any case. */
function wordTransforms(metadatas: RuleMetadata[]): PropertyPlan['transforms'] {
  const words = metadatas
    .filter(({ name }) => name === 'isIn')
    .flatMap(({ constraints }) => constraints[0] as unknown[])
    .filter((word) => typeof word === 'string');
  if (words.length === 0) return [];
  const exact = new Set<unknown>(words);
  const byLowerCase = new Map(words.map((word) => [word.toLowerCase(), word]));
  const read = (value: unknown): unknown =>
    typeof value !== 'string' || exact.has(value) ? value : (byLowerCase.get(value.toLowerCase()) ?? value);
  return [(value) => (Array.isArray(value) ? value.map(read) : read(value))];
}

const isNested = ({ type }: RuleMetadata): boolean => type === ValidationTypes.NESTED_VALIDATION;

const isCheck = ({ constraintCls }: RuleMetadata): boolean => constraintCls !== undefined;

/** Orders rules: the type first, then presence, then the order of the class. */
function rank({ rule }: Check): number {
  if (rule === 'invalid_type') return 0;
  return rule === 'blank' ? 1 : 2;
}

const NOTHING = {};

function compileCheck(dtoClass: DtoClass, metadata: RuleMetadata): Check {
  const { propertyName, constraints, each, validateIf } = metadata;
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
  const isUsable = constraint !== undefined && !constraint.async && !metadata.groups?.length;
  if (!isUsable)
    throw new Error(`${dtoClass.name}.${propertyName}: this decorator cannot be used in requests`);
  if (metadata.name === 'matches' && metadata.message === undefined)
    throw new Error(`${dtoClass.name}.${propertyName}: Matches needs a message that describes the form`);
  const validator = constraint.instance;
  const shared = {
    targetName: dtoClass.name,
    property: propertyName,
    object: {},
    value: undefined as unknown,
    constraints,
  };
  const args = (object: object, value: unknown): ValidationArguments => {
    return { targetName: dtoClass.name, property: propertyName, object, value, constraints };
  };
  return {
    rule: ruleOf(metadata),
    each: each === true,
    isMet: (dto, value) => {
      if (validateIf?.(dto, value) === false) return true;
      // One object serves every check: validators read it before they return.
      shared.object = dto;
      shared.value = value;
      const isMet = validator.validate(value, shared) === true;
      shared.object = NOTHING;
      shared.value = undefined;
      return isMet;
    },
    message: (dto, value) => {
      const filled = args(dto, value);
      return messageOf(metadata, filled, validator.defaultMessage?.(filled) ?? '');
    },
  };
}

function compileNested(dtoClass: DtoClass, name: string, metadatas: RuleMetadata[]): PropertyPlan['nested'] {
  const nested = metadatas.find(isNested);
  if (nested === undefined) return undefined;
  const type = defaultMetadataStorage.findTypeMetadata(dtoClass, name);
  if (type === undefined) throw new Error(`${dtoClass.name}.${name}: ValidateNested needs a Type`);
  const isArray =
    nested.each === true || Reflect.getMetadata('design:type', dtoClass.prototype as object, name) === Array;
  return { isArray, planFor: (value) => planOf(classFor(value, type.typeFunction, type.options)) };
}

/** A union selects its class by the value of one property; an unknown value selects the base class. */
function classFor(value: object, typeFunction: () => Function, options: TypeOptions | undefined): Function {
  const union = options?.discriminator;
  if (union === undefined) return typeFunction();
  const kind = (value as Record<string, unknown>)[union.property];
  const word = typeof kind === 'string' ? kind.toLowerCase() : kind;
  return (
    union.subTypes.find(({ name }) => name === kind || name.toLowerCase() === word)?.value ?? typeFunction()
  );
}
