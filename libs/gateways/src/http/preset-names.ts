/** Vendors whose settings are part of Signalbox. */
export const PRESET_NAMES = [
  'twilio',
  'vonage',
  'infobip',
  'bird',
  'plivo',
  'msg91',
  'gupshup',
  'kannel',
] as const;

export type PresetName = (typeof PRESET_NAMES)[number];
