import { CHANNELS } from '@signalbox/domain/channel';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { type Static, Type } from 'typebox';
import { FLAG, TEXT, model, nullable, oneOf } from '../docs/model.ts';
import { SETTING_TYPES, settingFields } from './setting-fields.ts';

const SettingView = model('GatewaySetting', 'A setting of a gateway kind.', {
  name: Type.String({ description: 'Path within `settings`, as `tls.ca`.' }),
  type: oneOf(SETTING_TYPES, '`object` has the members that follow it; `json` is any other value.'),
  required: FLAG,
  default: Type.Unsafe<unknown>({ description: 'Null for a setting without a default.' }),
  choices: nullable(Type.Array(Type.Union([TEXT, Type.Number()]))),
  minimum: nullable(Type.Number()),
  maximum: nullable(Type.Number()),
});

const PresetView = model('GatewayPreset', 'The settings of a vendor, which a gateway chooses by `preset`.', {
  name: TEXT,
  requires: Type.Array(TEXT, { description: 'Settings that the preset needs.' }),
  allows: Type.Array(TEXT, {
    description: 'Further settings that it uses. A setting that only other presets have is refused.',
  }),
});

export const GatewayKindView = model('GatewayKind', 'A kind of gateway, with its settings and credentials.', {
  kind: TEXT,
  channels: Type.Array(oneOf(CHANNELS)),
  settings: Type.Array(SettingView),
  secrets: Type.Array(Type.Object({ name: TEXT, required: FLAG, help: TEXT })),
  presets: Type.Array(PresetView),
});
export type GatewayKindView = Static<typeof GatewayKindView>;

export function gatewayKindView(given: GatewayKind): GatewayKindView {
  const { kind, channels, Settings, secrets, presets = [] } = given;
  return {
    kind,
    channels: [...channels],
    settings: settingFields(Settings),
    secrets: [...secrets],
    presets: presets.map(({ name, requires, allows }) => ({
      name,
      requires: [...requires],
      allows: [...allows],
    })),
  };
}
