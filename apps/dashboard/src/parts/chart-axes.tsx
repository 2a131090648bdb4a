import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './chart.module.css';
import type { ChartRow } from './chart-props.ts';
import { LABEL_GAP, MARGIN, type Scale } from './chart-scale.ts';

const NARROW = '(max-width: 36em)';
/** Half the width of a label: one that is closer to the edge ends at its row. */
const HALF_LABEL_PX = 32;
const MAX_LABELS = { wide: 5, narrow: 3 };

/** A line and a label for each of some values. */
export function ValueAxis({ scale }: { scale: Scale }): ReactNode {
  return scale.values.map(([value, label]) => (
    <g key={value}>
      <line
        className={styles.line}
        x1={scale.left}
        x2={scale.width - MARGIN.right}
        y1={scale.y(value)}
        y2={scale.y(value)}
      />
      <text
        className={styles.text}
        x={scale.left - LABEL_GAP}
        y={scale.y(value)}
        dy="0.35em"
        textAnchor="end"
      >
        {label}
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
