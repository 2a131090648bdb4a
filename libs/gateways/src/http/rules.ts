import { Type } from 'class-transformer';
import { IsObject, IsOptional, IsString, MaxLength, ValidateBy, ValidateNested } from 'class-validator';
import { isObject } from '@signalbox/domain/is-object';

/** A placeholder that is derived from another one. */
export interface DerivedField {
  /** The placeholder that it follows from. */
  from: string;
  /** Its values by those of `from`. */
  map?: Record<string, string>;
  /** Its value when `map` has none; without a map and a default it is the value of `from`. */
  default?: string;
  /** Limits of a number. */
  min?: number;
  max?: number;
}

const MAX_ENTRIES = 100;
const MAX_KEY = 200;
const MAX_TEXT = 2_000;
const MAX_JSON = 20_000;

/**
 * Requires an object that is valid by its settings class, or nothing.
 *
 * @param what describes it, as `an object with type and fields`
 */
export function IsSettings(settings: () => new () => object, what = 'an object'): PropertyDecorator {
  const rules = [
    IsOptional(),
    ValidateNested(),
    IsObject({ message: `$property must be ${what}` }),
    Type(settings),
  ];
  return (target, property) => {
    for (const each of rules) each(target, property);
  };
}

/** Requires a path into a callback, such as `status.groupName`. */
export function IsPath(): PropertyDecorator {
  const message = '$property must be a path such as status.groupName';
  const rules = [MaxLength(200), IsString({ message })];
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}

/** Requires an object whose values are texts, such as `{ "To": "{recipient}" }`. */
export function IsTextMap(what: string): PropertyDecorator {
  return rule('isTextMap', isTextMap, `$property must be an object of ${what}, at most ${MAX_ENTRIES}`);
}

/** Requires an object whose values are among `words`, such as `{ "delivered": "DELIVERED" }`. */
export function IsWordMap(words: readonly string[]): PropertyDecorator {
  return rule(
    'isWordMap',
    (value) => isTextMap(value) && Object.values(value).every((word) => words.includes(word)),
    `$property must be an object whose values are among ${words.join(', ')}`,
  );
}

/** Requires an object of errCodes of three digits, by the gateway's code. */
export function IsErrCodeMap(): PropertyDecorator {
  return rule(
    'isErrCodeMap',
    (value) => isTextMap(value) && Object.values(value).every((code) => /^\d{3}$/.test(code)),
    '$property must be an object of errCodes with three digits by the code of the gateway, such as { "30003": "001" }',
  );
}

/** Requires a list of texts. */
export function IsTextList(what: string): PropertyDecorator {
  return rule(
    'isTextList',
    (value) =>
      Array.isArray(value) &&
      value.length <= MAX_ENTRIES &&
      value.every((text) => typeof text === 'string' && text.length <= MAX_TEXT),
    `$property must be a list of ${what}, at most ${MAX_ENTRIES}`,
  );
}

/** Requires a list of HTTP statuses. */
export function IsStatusList(): PropertyDecorator {
  return rule(
    'isStatusList',
    (value) =>
      Array.isArray(value) &&
      value.length <= MAX_ENTRIES &&
      value.every((status) => Number.isInteger(status) && status >= 200 && status <= 599),
    '$property must be a list of HTTP statuses from 200 to 599',
  );
}

/** Requires an object or a list that is at most 20,000 characters as JSON. */
export function IsJson(): PropertyDecorator {
  return rule(
    'isJson',
    (value) =>
      typeof value === 'object' && value !== null && (JSON.stringify(value)?.length ?? 0) <= MAX_JSON,
    `$property must be an object or a list of at most ${MAX_JSON} characters as JSON`,
  );
}

/** Requires an object of derived placeholders by name. */
export function IsDerivedFields(): PropertyDecorator {
  return rule(
    'isDerivedFields',
    (value) => isObject(value) && Object.entries(value).every(([name, field]) => isDerivedField(name, field)),
    '$property must be an object such as { "type": { "from": "encoding", "map": { "UCS-2": "unicode" }, "default": "text" } }',
  );
}

function isDerivedField(name: string, field: unknown): boolean {
  if (!/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name) || !isObject(field)) return false;
  const { from, map, default: otherwise, min, max, ...unknown } = field;
  return (
    typeof from === 'string' &&
    (map === undefined || isTextMap(map)) &&
    (otherwise === undefined || (typeof otherwise === 'string' && otherwise.length <= MAX_TEXT)) &&
    [min, max].every((limit) => limit === undefined || Number.isSafeInteger(limit)) &&
    Object.keys(unknown).length === 0
  );
}

function rule(name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}

function isTextMap(value: unknown): value is Record<string, string> {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_ENTRIES &&
    entries.every(
      ([key, text]) =>
        key !== '' && key.length <= MAX_KEY && typeof text === 'string' && text.length <= MAX_TEXT,
    )
  );
}
