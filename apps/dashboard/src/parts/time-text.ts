const DAY_MS = 86_400_000;

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY_AND_TIME = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
const THIS_YEAR = new Intl.DateTimeFormat(undefined, DAY_AND_TIME);
const ANY_YEAR = new Intl.DateTimeFormat(undefined, { ...DAY_AND_TIME, year: 'numeric' });
const UNITS = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 min ago`, `in 2 hr.`, in the language of the viewer. From 24 hours on in days of the calendar, as `tomorrow`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000);
  if (Math.abs(seconds) >= DAY_MS / 1000) return RELATIVE.format(dayOf(atMs) - dayOf(nowMs), 'day');
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[2];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** Number of the calendar day in the zone of the viewer. */
function dayOf(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

/** `10:05:09` for today, `28 Nov, 10:05`, and with the year for another one. */
export function shortTime(date: Date, now: Date): string {
  if (date.toDateString() === now.toDateString()) return CLOCK.format(date);
  return (date.getFullYear() === now.getFullYear() ? THIS_YEAR : ANY_YEAR).format(date);
}
