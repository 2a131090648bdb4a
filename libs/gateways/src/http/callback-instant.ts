import { parseInstant } from '@signalbox/domain/instant';

const EPOCH = /^\d{10}(\d{3})?(\.\d+)?$/;
const PLAIN = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?$/;
/** RFC 2822, as Twilio writes times. */
const MAIL = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d ([+-]\d{4}|GMT)$/;

/**
 * Parses the time of a report: ISO 8601, epoch seconds or milliseconds, or RFC 2822. A time without a zone is UTC.
 *
 * @returns undefined for anything else
 */
export function parseCallbackInstant(text: string): Date | undefined {
  if (EPOCH.test(text)) return new Date(Number(text) * (/^\d{10}(\.|$)/.test(text) ? 1_000 : 1));
  if (MAIL.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : new Date(text);
  const [, day, time, zone = 'Z'] = PLAIN.exec(text) ?? [];
  return day === undefined
    ? undefined
    : parseInstant(`${day}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
}
