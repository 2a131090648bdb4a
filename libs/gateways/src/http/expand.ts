import { PRESETS } from './presets.ts';
import type { Preset, PresetParameter } from './preset.ts';
import type { HttpSettings } from './settings.ts';
import type { KindPreset } from '../gateway-kind.ts';

const PARAMETERS: readonly PresetParameter[] = [
  'accountSid',
  'apiKey',
  'authId',
  'baseUrl',
  'messagingServiceSid',
  'templateId',
  'username',
];

/** Settings with those of the preset filled in. */
export interface ExpandedSettings {
  request: HttpSettings['request'];
  answer: NonNullable<HttpSettings['answer']>;
  callback: NonNullable<HttpSettings['callback']>;
  fields: NonNullable<HttpSettings['fields']>;
  /** Values of the placeholders that follow from the settings. */
  parameters: Record<string, string>;
  /** Names of those placeholders, with and without a value. */
  parameterNames: readonly string[];
  answerErrors: Readonly<Record<string, string>>;
  reportErrors: Readonly<Record<string, string>>;
}

/** Fills in the preset. What a gateway sets itself replaces it, key by key within a section. */
export function expandSettings(settings: HttpSettings): ExpandedSettings {
  const preset = settings.preset === undefined ? undefined : PRESETS[settings.preset];
  const answer = merged(preset?.answer, settings.answer);
  const callback = merged(preset?.callback, settings.callback);
  const parameters = { ...settings.parameters, ...givenParameters(settings, preset) };
  return {
    request: preset || settings.request ? merged(preset?.request, settings.request) : undefined,
    answer,
    callback: {
      ...callback,
      ...(callback.reports && { reports: merged(preset?.callback.reports, callback.reports) }),
    },
    fields: { ...preset?.fields, ...settings.fields },
    parameters,
    parameterNames: [...Object.keys(parameters), ...(preset?.requires ?? []), ...(preset?.allows ?? [])],
    answerErrors: { ...preset?.errors, ...answer.errors },
    reportErrors: { ...preset?.errors, ...preset?.reportErrors, ...callback.reports?.errors },
  };
}

/** Lists the presets with the parameters of each; any may have another `baseUrl`. */
export function listPresets(): KindPreset[] {
  return Object.entries(PRESETS).map(([name, { requires, allows = [] }]) => ({
    name,
    requires,
    allows: requires.includes('baseUrl') ? allows : [...allows, 'baseUrl'],
  }));
}

/** Names the parameters that a preset lacks, and those that it does not know. */
export function listParameterProblems(settings: HttpSettings): { field: string; problem: string }[] {
  const preset = listPresets().find(({ name }) => name === settings.preset);
  if (!preset) return [];
  const known = [...preset.requires, ...preset.allows];
  const isGiven = (name: string): boolean => (settings[name as PresetParameter] ?? null) !== null;
  const missing = preset.requires.filter((name) => !isGiven(name));
  const unknown = PARAMETERS.filter((name) => isGiven(name) && !known.includes(name));
  return [
    ...missing.map((name) => ({ field: name, problem: `is needed by the preset ${settings.preset}` })),
    ...unknown.map((name) => ({
      field: name,
      problem: `the preset ${settings.preset} does not use it; it uses ${known.join(', ')}`,
    })),
  ];
}

/** Merges settings; values that are absent, as undefined or null, replace nothing. */
function merged<Settings extends object>(under: Settings | undefined, over: Settings | undefined): Settings {
  const given = Object.entries(over ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...under, ...Object.fromEntries(given) } as Settings;
}

function givenParameters(settings: HttpSettings, preset: Preset | undefined): Record<string, string> {
  const given = PARAMETERS.flatMap((name) => {
    const value = settings[name] ?? (name === 'baseUrl' ? preset?.baseUrl : undefined);
    return value === undefined ? [] : [[name, name === 'baseUrl' ? value.replace(/\/+$/, '') : value]];
  });
  return Object.fromEntries(given) as Record<string, string>;
}
