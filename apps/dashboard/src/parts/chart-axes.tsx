import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './chart.module.css';
import type { ChartRow } from './chart-props.ts';
import { MARGIN, type Scale } from './chart-scale.ts';

const NARROW = '(max-width: 36em)';
/** Half the width of a label: one that is closer to the edge ends at its row. */
const HALF_LABEL_PX = 32;
const MAX_LABELS = { wide: 5, narrow: 3 };

/** A line and a label for each of some values. */
export function ValueAxis({ scale, format }: { scale: Scale; format: (value: number) => string }): ReactNode {
  return scale.values.map((value) => (
    <g key={value}>
      <line
        className={styles.line}
        x1={MARGIN.left}
        x2={scale.width - MARGIN.right}
        y1={scale.y(value)}
        y2={scale.y(value)}
      />
      <text className={styles.text} x={MARGIN.left - 8} y={scale.y(value)} dy="0.35em" textAnchor="end">
        {format(value)}
      </text>
    </g>
  ));
}

interface TimeAxisProps {
  rows: readonly ChartRow[];
  scale: Scale;
  format: Intl.DateTimeFormat;
}

/** Labels below rows at equal distances. */
export function TimeAxis({ rows, scale, format }: TimeAxisProps): ReactNode {
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const step = Math.max(1, Math.ceil(rows.length / (isNarrow ? MAX_LABELS.narrow : MAX_LABELS.wide)));
  return rows.map(({ at }, row) =>
    row % step === 0 ? (
      <text
        key={at}
        className={styles.text}
        x={scale.x(row)}
        y={scale.height - 6}
        textAnchor={scale.width - scale.x(row) < HALF_LABEL_PX ? 'end' : 'middle'}
      >
        {format.format(Date.parse(at))}
      </text>
    ) : null,
  );
}
