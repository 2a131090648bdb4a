import type {
  Gateway,
  GatewayChange,
  GatewayKind,
  GatewayPreset,
  GatewayRequest,
  GatewaySetting,
} from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import { changedFields } from '../../parts/changed-fields.ts';

type SettingValue = string | number | boolean | string[];

/** The fields of the form. Settings are by their paths; an empty text means the default. */
export interface GatewayValues {
  name: string;
  channel: Channel;
  kind: string;
  ratePerSecond: number | string;
  enabled: boolean;
  settings: Record<string, SettingValue>;
  /** New credentials by name; an empty one keeps the stored value. */
  secrets: Record<string, string>;
}

export const NEW_GATEWAY: GatewayValues = {
  name: '',
  channel: 'sms',
  kind: 'smpp',
  ratePerSecond: '',
  enabled: true,
  settings: {},
  secrets: {},
};

/** A key of the form for a path: a dot would be read as a step. */
export function settingKey(path: string): string {
  return path.replaceAll('.', '/');
}

/** Fills the form with a stored gateway. */
export function valuesOf(gateway: Gateway, kind: GatewayKind): GatewayValues {
  const { name, channel, ratePerSecond, enabled } = gateway;
  const settings = Object.fromEntries(
    kind.settings.flatMap((field) => {
      const value = read(gateway.settings, field.name.split('.'));
      return value === undefined || field.type === 'object'
        ? []
        : [[settingKey(field.name), inputOf(field, value)]];
    }),
  ) as GatewayValues['settings'];
  return {
    name,
    channel,
    kind: gateway.kind,
    ratePerSecond: ratePerSecond ?? '',
    enabled,
    settings,
    secrets: {},
  };
}

function read(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], value);
}

function inputOf({ type }: GatewaySetting, value: unknown): SettingValue {
  return type === 'map' || type === 'json' ? JSON.stringify(value, null, 2) : (value as SettingValue);
}

/** The preset that the form has chosen. */
export function presetOf(
  { settings }: Pick<GatewayValues, 'settings'>,
  { presets }: GatewayKind,
): GatewayPreset | undefined {
  return presets.find(({ name }) => name === settings['preset']);
}

/** True for a setting that some preset has. */
export function isOfPresets({ name }: GatewaySetting, { presets }: GatewayKind): boolean {
  return presets.some((preset) => uses(preset, name));
}

function uses({ requires, allows }: GatewayPreset, name: string): boolean {
  return requires.includes(name) || allows.includes(name);
}

/** The settings of a kind that the form has: with a preset, none that only others have. */
export function settingsOf(values: Pick<GatewayValues, 'settings'>, kind: GatewayKind): GatewaySetting[] {
  const preset = presetOf(values, kind);
  if (!preset) return kind.settings;
  return kind.settings.filter((setting) => uses(preset, setting.name) || !isOfPresets(setting, kind));
}

/** The settings and credentials that a valid form holds. */
export function contentOf(
  values: GatewayValues,
  kind: GatewayKind,
): Pick<GatewayRequest, 'settings' | 'secrets'> {
  const settings: Record<string, unknown> = {};
  for (const field of settingsOf(values, kind)) {
    const value = values.settings[settingKey(field.name)];
    if (field.type === 'object' || value === undefined || isEmpty(value)) continue;
    write(settings, field.name.split('.'), outputOf(field, value));
  }
  const secrets = Object.fromEntries(Object.entries(values.secrets).filter(([, secret]) => secret !== ''));
  return { settings, secrets };
}

function isEmpty(value: SettingValue): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function outputOf({ type, choices }: GatewaySetting, value: SettingValue): unknown {
  if (type === 'map' || type === 'json') return JSON.parse(String(value));
  if (type === 'choice') return choices?.find((choice) => String(choice) === String(value)) ?? value;
  return type === 'integer' ? Number(value) : value;
}

function write(target: Record<string, unknown>, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    target[step] = value;
    return;
  }
  const inner = (target[step] ??= {}) as Record<string, unknown>;
  write(inner, rest, value);
}

/** The change from the form as it was opened: null for each setting that was emptied. */
export function changeOf(opened: GatewayValues, values: GatewayValues, kind: GatewayKind): GatewayChange {
  const { settings: before = {} } = contentOf(opened, kind);
  const { settings = {}, secrets } = contentOf(values, kind);
  const emptied = Object.keys(before).filter((name) => !(name in settings));
  const changed = {
    ...changedFields(before, settings),
    ...Object.fromEntries(emptied.map((name) => [name, null])),
  };
  const rate = changedFields(rateOf(opened), rateOf(values));
  return { settings: changed, secrets, ...rate };
}

function rateOf({ ratePerSecond }: GatewayValues): { ratePerSecond: number | null } {
  return { ratePerSecond: ratePerSecond === '' ? null : Number(ratePerSecond) };
}
