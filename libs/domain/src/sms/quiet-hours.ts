import { type SmsLane, SMS_LANES } from '../lane.ts';
import { parseTimeZone } from '../time-zone.ts';

/** Hours in which messages of a lane to numbers with a prefix are delayed, in the local time of `zone`. */
export interface QuietRule {
  lane: SmsLane;
  /** Country code, and possibly more digits. */
  prefix: string;
  /** `HH:MM`; if later than `until`, the hours span midnight. */
  from: string;
  until: string;
  /** IANA time zone. */
  zone: string;
}

const SHAPE =
  /^(\w+) ([1-9]\d{0,14}) (([01]\d|2[0-3]):[0-5]\d)-(([01]\d|2[0-3]):[0-5]\d) ([A-Za-z][\w+/-]*)$/;

/**
 * Parses quiet hours, such as `PROMO 91 21:00-10:00 Asia/Kolkata; PROMO 33 20:00-08:00 Europe/Paris`, or `none`.
 *
 * @throws Error that names the first invalid rule
 */
export function parseQuietHours(text: string): QuietRule[] {
  if (text.trim() === 'none') return [];
  return text.split(';').map((rule) => parseRule(rule.trim()));
}

function parseRule(text: string): QuietRule {
  const [, lane, prefix, from, , until, , named] = SHAPE.exec(text) ?? [];
  if (!lane || !prefix || !from || !until || !named)
    throw new Error(`"${text}" must be like PROMO 91 21:00-10:00 Asia/Kolkata`);
  if (!isLane(lane)) throw new Error(`"${text}" must begin with one of ${SMS_LANES.join(', ')}`);
  if (from === until) throw new Error(`"${text}" begins when it ends`);
  const zone = parseTimeZone(named);
  if (zone === undefined) throw new Error(`"${text}" names no time zone that is known here`);
  return { lane, prefix, from, until, zone };
}

function isLane(text: string): text is SmsLane {
  return SMS_LANES.some((lane) => lane === text);
}
