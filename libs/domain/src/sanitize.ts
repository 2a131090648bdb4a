const MAX_TEXT_LENGTH = 4_096;
const EARLIEST = Date.UTC(2000, 0);
const DAY_MS = 86_400_000;

/** A text from outside as Postgres takes it: one that it would refuse must not keep out the others of its batch. */
export function toStorableText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll('\u0000', '').toWellFormed();
}

/** An instant by somebody else's clock; `now` in place of one that cannot be right. */
export function clampInstant(at: Date, now: Date): Date {
  const time = at.getTime();
  return time >= EARLIEST && time <= now.getTime() + DAY_MS ? at : now;
}
