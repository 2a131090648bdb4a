const SHAPE =
  /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** After the last instant of the year 9999. */
const END = Date.UTC(10_000, 0);

/**
 * Parses an instant in ISO 8601 with its zone, such as `2026-11-20T09:00:00+05:30`.
 *
 * @returns undefined for any other text, and for an instant outside the years 1970 to 9999 in UTC, which Postgres may
 * not parse
 */
export function parseInstant(text: string): Date | undefined {
  const match = SHAPE.exec(text);
  if (!match) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isRealDay = day.getUTCMonth() + 1 === Number(match[1]) && day.getUTCDate() === Number(match[2]); // no 30 February
  const at = new Date(text);
  return isRealDay && at.getTime() >= 0 && at.getTime() < END ? at : undefined;
}
