import { Box, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense, lazy } from 'react';
import type { ChartProps } from './chart-props.ts';

const Drawing = lazy(async () => ({ default: (await import('./chart-drawing.tsx')).ChartDrawing }));

/** A chart over time. Its library is loaded with the first one; a table of the same numbers serves screen readers. */
export function Chart(props: ChartProps): ReactNode {
  const { label, height = 220, rows, series } = props;
  return (
    <Box role="img" aria-label={`${label}: ${summaryOf(rows, series)}`} style={{ height }}>
      <Suspense fallback={<Skeleton height={height} />}>
        <Drawing {...props} height={height} />
      </Suspense>
    </Box>
  );
}

function summaryOf(rows: ChartProps['rows'], series: ChartProps['series']): string {
  return series
    .map(
      ({ key, label }) =>
        `${label} ${rows.reduce((sum, row) => sum + (row.values[key] ?? 0), 0).toLocaleString()}`,
    )
    .join(', ');
}
