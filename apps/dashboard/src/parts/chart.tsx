import { Box, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense, lazy, useEffect, useState } from 'react';
import type { ChartProps } from './chart-props.ts';

const Drawing = lazy(async () => ({ default: (await import('./chart-drawing.tsx')).ChartDrawing }));

/** Milliseconds after which a chart is drawn although the page is busy. */
const PATIENCE_MS = 2_000;

/**
 * A chart over time, drawn once the page is idle: its text comes first. Its library is loaded with the first chart, and
 * its sums serve screen readers.
 */
export function Chart(props: ChartProps): ReactNode {
  const { height = 220, rows, series } = props;
  const label = `${props.label}: ${summaryOf(rows, series)}`;
  const waiting = (
    <Box role="img" aria-label={label}>
      <Skeleton height={height} />
    </Box>
  );
  if (!useIdle()) return waiting;
  return (
    <Suspense fallback={waiting}>
      <Drawing {...props} label={label} height={height} />
    </Suspense>
  );
}

/** True from the first moment on in which the browser has nothing else to do. */
function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!('requestIdleCallback' in window)) return setIdle(true);
    const callback = requestIdleCallback(() => setIdle(true), { timeout: PATIENCE_MS });
    return () => cancelIdleCallback(callback);
  }, []);
  return isIdle;
}

function summaryOf(rows: ChartProps['rows'], series: ChartProps['series']): string {
  return series
    .map(
      ({ key, label }) =>
        `${label} ${rows.reduce((sum, row) => sum + (row.values[key] ?? 0), 0).toLocaleString()}`,
    )
    .join(', ');
}
