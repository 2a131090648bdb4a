import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from 'react';
import { TimeAxis, ValueAxis } from './chart-axes.tsx';
import { ChartMarks } from './chart-marks.tsx';
import type { ChartProps } from './chart-props.ts';
import { MARGIN, layersOf, scaleOf } from './chart-scale.ts';
import { timesOf } from './chart-times.ts';
import { ChartTooltip } from './chart-tooltip.tsx';
import styles from './chart.module.css';

/** The drawing of a chart, with the numbers of the row that the pointer is at, or that the arrow keys chose. */
export function ChartDrawing({
  label,
  rows,
  series,
  kind = 'area',
  stacked = false,
  zone,
  height = 220,
}: ChartProps): ReactNode {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number>();
  const times = useMemo(() => timesOf(rows, zone), [rows, zone]);
  const layers = layersOf(rows, series, stacked);
  const scale = scaleOf({ width, height }, rows.length, layers, kind === 'bar');
  const row = pointed === undefined ? undefined : rows[pointed];
  const x = scale.x(pointed ?? 0);
  const point = ({ clientX, currentTarget }: PointerEvent): void =>
    setPointed(scale.rowAt(clientX - currentTarget.getBoundingClientRect().left));
  const step = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') setPointed(undefined);
    if (key === 'ArrowLeft') setPointed(Math.max(0, (pointed ?? rows.length) - 1));
    if (key === 'ArrowRight') setPointed(Math.min(rows.length - 1, (pointed ?? -1) + 1));
  };
  return (
    <div
      ref={ref}
      role="img"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys choose a row
      tabIndex={0}
      className={styles.chart}
      style={{ height }}
      onKeyDown={step}
      onBlur={() => setPointed(undefined)}
      onPointerMove={point}
      onPointerLeave={() => setPointed(undefined)}
    >
      {width > 0 && (
        <svg width={width} height={height}>
          <ValueAxis scale={scale} />
          <TimeAxis rows={rows} scale={scale} format={times.label} />
          {row && (
            <line className={styles.pointed} x1={x} x2={x} y1={MARGIN.top} y2={height - MARGIN.bottom} />
          )}
          <ChartMarks layers={layers} scale={scale} kind={kind} stacked={stacked} />
        </svg>
      )}
      {row && <ChartTooltip row={row} x={x} scale={scale} series={series} format={times.row} />}
    </div>
  );
}
