import 'reflect-metadata';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { ValidationTypes, getMetadataStorage } from 'class-validator';
import type { RuleMetadata } from '../http/rule-table.ts';

/** The form of a setting's value. `object` stands for the members that follow; `json` is any other value. */
export const SETTING_TYPES = [
  'text',
  'integer',
  'boolean',
  'choice',
  'texts',
  'map',
  'object',
  'json',
] as const;

/** A setting of a gateway kind, as its class declares it. */
export interface SettingField {
  /** Path within `settings`, as `tls.ca`. */
  name: string;
  type: (typeof SETTING_TYPES)[number];
  required: boolean;
  /** Null for a setting without a default. */
  default: unknown;
  choices: (string | number)[] | null;
  minimum: number | null;
  maximum: number | null;
}

type SettingsClass = new () => object;

const TYPES: Readonly<Record<string, SettingField['type']>> = {
  isBoolean: 'boolean',
  isInt: 'integer',
  isIn: 'choice',
  isTextList: 'texts',
  isTextMap: 'map',
  isWordMap: 'map',
  isErrCodeMap: 'map',
  isTable: 'map',
  isArray: 'json',
  isJson: 'json',
  isDerivedFields: 'json',
  isStatusList: 'json',
};

/** Describes the settings of a kind by the rules of their class; members of a nested object follow it. */
export function settingFields(Settings: SettingsClass, path = ''): SettingField[] {
  const metadatas = getMetadataStorage().getTargetValidationMetadatas(Settings, '', false, false);
  const defaults = new Settings() as Record<string, unknown>;
  const byName = Map.groupBy(metadatas, ({ propertyName }) => propertyName);
  return [...byName].flatMap(([name, rules]) => {
    const nested = nestedClass(Settings, name, rules);
    const field = { ...describe(rules, defaults[name]), name: path + name };
    if (!nested) return [field];
    return [
      { ...field, type: 'object' as const, default: null },
      ...settingFields(nested, `${path}${name}.`),
    ];
  });
}

function describe(rules: RuleMetadata[], value: unknown): Omit<SettingField, 'name'> {
  const constraint = (name: string): unknown => rules.find((rule) => nameOf(rule) === name)?.constraints?.[0];
  const named = rules.map((rule) => TYPES[nameOf(rule)]).find((type) => type !== undefined);
  const isConditional = rules.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  return {
    type: named ?? 'text',
    required: !isConditional && value === undefined,
    default: value ?? null,
    choices: (constraint('isIn') as (string | number)[] | undefined) ?? null,
    minimum: (constraint('min') as number | undefined) ?? null,
    maximum: (constraint('max') as number | undefined) ?? null,
  };
}

/** The class of a nested object; undefined for a list of them, which is `json`. */
function nestedClass(
  Settings: SettingsClass,
  name: string,
  rules: RuleMetadata[],
): SettingsClass | undefined {
  if (rules.some((rule) => rule.each || nameOf(rule) === 'isArray')) return undefined;
  if (!rules.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION)) return undefined;
  return defaultMetadataStorage.findTypeMetadata(Settings, name)?.typeFunction() as SettingsClass | undefined;
}

function nameOf({ name, type }: RuleMetadata): string {
  return name ?? type;
}
