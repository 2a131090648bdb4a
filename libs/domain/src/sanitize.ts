const MAX_TEXT_LENGTH = 4_096;
const EARLIEST = Date.UTC(2000, 0);
const DAY_MS = 86_400_000;
const UNKNOWN_DELAY_MS = 1_000;

/**
 * Drops NUL, replaces lone surrogates and truncates: Postgres would refuse the whole batch. Another value than a text
 * becomes one; none becomes the empty text.
 */
export function toStorableText(text: unknown): string {
  if (typeof text === 'string' && isStorable(text)) return text;
  return textOf(text).slice(0, MAX_TEXT_LENGTH).replaceAll('\u0000', '').toWellFormed();
}

function isStorable(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && !text.includes('\u0000') && text.isWellFormed();
}

function textOf(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : JSON.stringify(given);
}

/** Returns `at`, or `now` if `at` is invalid, before the year 2000 or more than a day ahead. */
export function clampInstant(at: Date, now: Date): Date {
  const time = Number(at);
  return time >= EARLIEST && time <= now.getTime() + DAY_MS ? new Date(time) : now;
}

/** Returns a delay in whole milliseconds, from 0 to a day; a second for one that is no number. */
export function clampDelayMs(delayMs: number): number {
  if (typeof delayMs !== 'number' || Number.isNaN(delayMs)) return UNKNOWN_DELAY_MS;
  return Math.ceil(Math.min(Math.max(delayMs, 0), DAY_MS));
}
