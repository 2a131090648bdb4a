import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { keepLatest } from './keep-latest.ts';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
/** The rest of a minute after its first millisecond. */
const MINUTE_REST_MS = 59_999;

/** `YYMMDDhhmm`, with seconds, with a century, or with tenths and an offset in quarters of an hour. */
const DATE = /^(?:20(?=\d{12}$))?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:\d(\d\d)([+-]))?$/;

/**
 * Reads a date of a receipt: 10, 12, 14 or 16 characters. One without seconds is the end of its minute, or `now` within
 * that minute: its beginning could be before the submit.
 *
 * @param timeZone IANA zone of a date without an offset
 * @returns undefined for a malformed date, or one that is more than a day ahead of `now`
 */
export function readReceiptDate(text: string, timeZone: string, now: Date): Date | undefined {
  const at = instantOf(text, timeZone);
  if (at === undefined || at > now.getTime() + DAY_MS) return undefined;
  return new Date(Math.min(at, now.getTime()));
}

/** Reads a date as milliseconds since 1970. Many receipts in a row name the same minute. */
const instantOf = keepLatest((text: string, timeZone: string): number | undefined => {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const wall = Date.UTC(2000 + year!, month! - 1, day, hour, minute, second);
  if (new Date(wall).getUTCMonth() !== month! - 1 || hour! > 23 || minute! > 59 || second! > 60)
    return undefined;
  const [, , , , , , , quarters, sign] = match;
  const offset =
    quarters === undefined
      ? offsetOf(wall, timeZone)
      : Number(quarters) * QUARTER_MS * (sign === '-' ? -1 : 1);
  const restMs = match[6] === undefined ? MINUTE_REST_MS : 0;
  return wall - offset + restMs;
});

/** Checks the name of a zone against the ones that this machine knows. */
export function isTimeZone(name: unknown): boolean {
  try {
    return typeof name === 'string' && name !== '' && formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** Milliseconds that a zone is ahead of UTC at a wall time, which is read as UTC. */
function offsetOf(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const guess = offsetAt(wall, timeZone);
  return offsetAt(wall - guess, timeZone);
}

function offsetAt(at: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year, month, day, hour, minute, second] = FIELDS.map((field) => parts.get(field)!);
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  return getOrInsert(formats, timeZone, () => {
    const numeric = Object.fromEntries(FIELDS.map((field) => [field, 'numeric']));
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric });
  });
}
