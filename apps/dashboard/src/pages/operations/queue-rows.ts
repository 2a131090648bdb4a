import type { QueueHistory } from '@signalbox/client';
import type { ChartRow } from '../../parts/chart-props.ts';

type Minute = QueueHistory['minutes'][number];

/** Milliseconds between two points of the chart. */
export const MINUTE_MS = 60_000;

const UNKNOWN = { completed: null, failed: null, waiting: null, active: null, delayed: null };

/**
 * A row for each full minute from the first one on. One in which no worker ran has no values.
 *
 * @param untilMs a time at which the minutes were read, or before; the minute of it is left out: its counts are too low
 */
export function rowsOf(minutes: readonly Minute[], untilMs: number): ChartRow[] {
  const known = new Map(minutes.map((each) => [Date.parse(each.minute), each]));
  const firstMs = Math.min(...known.keys());
  const rows: ChartRow[] = [];
  for (let atMs = firstMs; atMs <= untilMs - MINUTE_MS; atMs += MINUTE_MS) {
    const { completed, failed, waiting, active, delayed } = known.get(atMs) ?? UNKNOWN;
    rows.push({
      at: new Date(atMs).toISOString(),
      values: { completed, failed, waiting, active, delayed },
    });
  }
  return rows;
}
