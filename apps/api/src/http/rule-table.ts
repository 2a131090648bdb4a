import type { Rule } from '@signalbox/domain/violation';
import { ValidationTypes } from 'class-validator';
import type { getMetadataStorage, ValidationArguments } from 'class-validator';

/** A decorator of class-validator on one property. */
export type RuleMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** A broken rule: a stable word, and a sentence without its subject. */
interface RuleText {
  rule: Rule;
  message: (constraints: readonly unknown[]) => string;
}

const text = (rule: Rule, message: (...constraints: readonly unknown[]) => string): RuleText => ({
  rule,
  message: (constraints) => message(...constraints),
});

/** Rules by the names of class-validator's decorators and of those in rules.ts. */
const TEXTS: Readonly<Record<string, RuleText>> = {
  isDefined: text('required', () => 'is required'),
  isString: text('invalid_type', () => 'must be a string'),
  isNumber: text('invalid_type', () => 'must be a number'),
  isInt: text('invalid_type', () => 'must be an integer'),
  isBoolean: text('invalid_type', () => 'must be true or false'),
  isArray: text('invalid_type', () => 'must be an array'),
  isObject: text('invalid_type', () => 'must be an object'),
  notBlank: text('blank', () => 'must not be blank'),
  isNotEmpty: text('blank', () => 'must not be empty'),
  maxCodePoints: text('max_length', (max) => `must be at most ${max} characters`),
  maxLength: text('max_length', (max) => `must be at most ${max} characters`),
  minCodePoints: text('min_length', (min) => `must be at least ${min} characters`),
  minLength: text('min_length', (min) => `must be at least ${min} characters`),
  arrayMaxSize: text('too_many_items', (max) => `must have at most ${count(max, 'item')}`),
  arrayMinSize: text('too_few_items', (min) => `must have at least ${count(min, 'item')}`),
  arrayNotEmpty: text('too_few_items', () => 'must have at least 1 item'),
  distinct: text('duplicate_item', () => 'must not hold the same item twice'),
  isNotEmptyObject: text('too_few_items', () => 'must have at least 1 member'),
  min: text('out_of_range', (min) => `must be at least ${min}`),
  max: text('out_of_range', (max) => `must be at most ${max}`),
  isPositive: text('out_of_range', () => 'must be greater than 0'),
  isIn: text('not_allowed_value', (values) => `must be ${alternatives(values)}`),
  isEnum: text('not_allowed_value', (_, values) => `must be ${alternatives(values)}`),
  equals: text('not_allowed_value', (value) => `must be ${value}`),
  isUrl: text('invalid_format', () => 'must be a URL'),
  isUuid: text('invalid_format', () => 'must be a UUID'),
  isISO8601: text('invalid_format', () => 'must be a time in ISO 8601'),
  isNumberString: text('invalid_format', () => 'must hold digits only'),
  isSmsSender: text(
    'invalid_format',
    () => 'must be 1 to 11 letters, digits, spaces or -_.&, or 3 to 15 digits',
  ),
  oneLine: text('invalid_character', () => 'must not hold line ends or tabs'),
  isMsisdn: text('invalid_format', () => 'must be a phone number of 7 to 15 digits with its country code'),
};

/** The name of a broken rule: the decorator's own `context: { rule }`, or that of the table, or `invalid_format`. */
export function ruleOf(metadata: RuleMetadata): Rule {
  const context = metadata.context as { rule?: Rule } | undefined;
  return context?.rule ?? TEXTS[nameOf(metadata)]?.rule ?? 'invalid_format';
}

/** The sentence of a broken rule: the decorator's own `message`, or that of the table, or its default. */
export function messageOf(metadata: RuleMetadata, args: ValidationArguments, defaultMessage: string): string {
  const own = metadata.message;
  // ValidateNested always has its own message.
  if (own && metadata.type !== ValidationTypes.NESTED_VALIDATION)
    return typeof own === 'function' ? own(args) : own;
  const fromTable = TEXTS[nameOf(metadata)]?.message(metadata.constraints ?? []);
  return (
    fromTable ?? (defaultMessage.replace('each value in ', '').replace('$property ', '') || 'is not valid')
  );
}

function nameOf(metadata: RuleMetadata): string {
  return metadata.name ?? metadata.type;
}

function count(n: unknown, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

function alternatives(values: unknown): string {
  return Array.isArray(values) ? `one of ${values.join(', ')}` : 'one of the allowed values';
}
