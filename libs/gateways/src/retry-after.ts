const MAX_SECONDS = 86_400;
const SECONDS = /^\d{1,20}$/;
/** Dates start with a weekday. Date.parse alone accepts almost any text that holds a number. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Parses a Retry-After header, seconds or a date, to 0-86,400 seconds; undefined if invalid or absent. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS);
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(Math.ceil((at - now) / 1000), 0), MAX_SECONDS);
}
