import { ValidationTypes } from 'class-validator';
import type { RuleMetadata } from '../http/rule-table.ts';

/** A JSON Schema, as far as limits of requests need it. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

/** A phone number with its country code. */
export const MSISDN_PATTERN = '^[+]?[1-9][0-9]{6,14}$';

type Constraint = readonly unknown[];

/** Keywords of each rule, by the names of class-validator's decorators and of those in `http/rules.ts`. */
const KEYWORDS: Readonly<Record<string, (constraints: Constraint) => Schema>> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  maxLength: ([maxLength]) => ({ maxLength: Number(maxLength) }),
  maxCodePoints: ([maxLength]) => ({ maxLength: Number(maxLength) }),
  minCodePoints: ([minLength]) => ({ minLength: Number(minLength) }),
  notBlank: () => ({ minLength: 1, pattern: '\\S' }),
  oneLine: () => ({ pattern: '^[^\\t\\n\\r]*$' }),
  min: ([minimum]) => ({ minimum: Number(minimum) }),
  max: ([maximum]) => ({ maximum: Number(maximum) }),
  arrayMinSize: ([minItems]) => ({ minItems: Number(minItems) }),
  arrayMaxSize: ([maxItems]) => ({ maxItems: Number(maxItems) }),
  distinct: () => ({ uniqueItems: true }),
  isIn: ([words]) => ({ enum: [...(words as unknown[])] }),
  matches: ([pattern]) => ({ pattern: sourceOf(pattern as RegExp) }),
  isUuid: () => ({ format: 'uuid' }),
  isDay: () => ({ format: 'date' }),
  isInstant: () => ({ format: 'date-time' }),
  isMsisdn: () => ({ pattern: MSISDN_PATTERN }),
  isChatRecipient: () => ({
    pattern: '^([+]?[1-9][0-9]{6,14}|[A-Z]{2}([.]ENT)?[.][A-Za-z0-9]{1,128})$',
  }),
  isSmsSender: () => ({
    maxLength: 15,
    pattern: '^([0-9]{3,15}|[0-9 ]*[A-Za-z_.&-][A-Za-z0-9 _.&-]*)$',
  }),
  isLinkTarget: () => ({ format: 'uri', maxLength: 2048 }),
  isMessageId: () => ({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[1-9][0-9]*$' }),
};

/** Rules that JSON Schema has no keyword for; descriptions explain them. */
const IN_WORDS = new Set([
  'isDefined',
  'isTimeZone',
  'areStatuses',
  'isFileName',
  'memberOf',
  'notInBody',
  'isCountry',
]);

/**
 * The keywords of a member's rules.
 *
 * @throws Error for a rule without a keyword, so that a new rule is documented
 */
export function keywordsOf(rules: readonly RuleMetadata[]): Schema {
  const checks = rules.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
  const found = checks.map(({ name = '', constraints, target, propertyName }) => {
    const keywords = KEYWORDS[name];
    if (!keywords && !IN_WORDS.has(name))
      throw new Error(`${nameOf(target)}.${propertyName}: the rule ${name} has no keyword in the document`);
    return keywords?.(constraints ?? []) ?? {};
  });
  return Object.assign({}, ...found.toSorted((a, b) => rank(a) - rank(b))) as Schema;
}

/** Any other pattern implies that the value is not blank. */
function rank({ pattern }: Schema): number {
  return pattern === '\\S' ? 0 : 1;
}

/** A pattern without flags: JSON Schema has none. */
function sourceOf({ source, flags }: RegExp): string {
  const anyCase = flags.includes('i') ? source.replaceAll('a-f', 'A-Fa-f') : source;
  return flags.includes('s') ? anyCase.replaceAll('.', '[\\s\\S]') : anyCase;
}

function nameOf(target: Function | string): string {
  return typeof target === 'string' ? target : target.name;
}
