const SHAPE =
  /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Reads a point in time in ISO 8601 with its zone, such as `2026-11-20T09:00:00+05:30`; undefined when the text is not one. */
export function parseInstant(text: string): Date | undefined {
  const match = SHAPE.exec(text);
  if (!match) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isRealDay = day.getUTCMonth() + 1 === Number(match[1]) && day.getUTCDate() === Number(match[2]); // no 30 February
  return isRealDay ? new Date(text) : undefined;
}
