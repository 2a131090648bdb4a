import type { ChartRow } from './chart-props.ts';

const HOUR_MS = 3_600_000;

/** Rows at least this far apart are days, also where the clock changes. */
const DAY_STEP_MS = 23 * HOUR_MS;

/** Formats of the times of a chart. */
interface ChartTimes {
  /** For a label below a row: the time of day, or the day when the rows span more than one. */
  label: Intl.DateTimeFormat;
  /** For all that is shown of one row: its day, and its time of day unless rows are days. */
  row: Intl.DateTimeFormat;
}

/** @param timeZone that of the viewer by default */
export function timesOf(rows: readonly ChartRow[], timeZone?: string): ChartTimes {
  const [firstMs = 0, nextMs = firstMs] = rows.slice(0, 2).map(({ at }) => Date.parse(at));
  const spanMs = Date.parse(rows.at(-1)?.at ?? '') - firstMs;
  const areDays = nextMs - firstMs >= DAY_STEP_MS;
  return {
    label: new Intl.DateTimeFormat(undefined, {
      timeZone,
      ...(areDays || spanMs > 36 * HOUR_MS
        ? { day: 'numeric', month: 'short' }
        : { hour: 'numeric', minute: '2-digit' }),
    }),
    row: new Intl.DateTimeFormat(undefined, {
      timeZone,
      dateStyle: 'medium',
      ...(!areDays && { timeStyle: 'short' }),
    }),
  };
}
