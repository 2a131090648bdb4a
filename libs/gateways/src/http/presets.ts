import type { PresetName } from './preset-names.ts';
import type { Preset } from './preset.ts';
import { BIRD } from './presets/bird.ts';
import { GUPSHUP } from './presets/gupshup.ts';
import { INFOBIP } from './presets/infobip.ts';
import { KANNEL } from './presets/kannel.ts';
import { MSG91 } from './presets/msg91.ts';
import { PLIVO } from './presets/plivo.ts';
import { TWILIO } from './presets/twilio.ts';
import { VONAGE } from './presets/vonage.ts';

/** The settings of each vendor. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  twilio: TWILIO,
  vonage: VONAGE,
  infobip: INFOBIP,
  bird: BIRD,
  plivo: PLIVO,
  msg91: MSG91,
  gupshup: GUPSHUP,
  kannel: KANNEL,
};
