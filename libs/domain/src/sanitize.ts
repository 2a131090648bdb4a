const MAX_TEXT_LENGTH = 4_096;
const EARLIEST = Date.UTC(2000, 0);
const DAY_MS = 86_400_000;

/** Drops NUL, replaces lone surrogates and truncates: Postgres would refuse the whole batch. */
export function toStorableText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll('\u0000', '').toWellFormed();
}

/** Returns `at`, or `now` if `at` is invalid, before the year 2000 or more than a day ahead. */
export function clampInstant(at: Date, now: Date): Date {
  const time = at.getTime();
  return time >= EARLIEST && time <= now.getTime() + DAY_MS ? at : now;
}
