const MAX_SECONDS = 86_400;
const SECONDS = /^\d{1,20}$/;
/** A date begins with its day; Date.parse alone would take almost any text that holds a number. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Reads a Retry-After header, seconds or a date, as 0 to 24 hours from now; undefined when there is none or it makes no sense. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS);
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(Math.ceil((at - now) / 1000), 0), MAX_SECONDS);
}
