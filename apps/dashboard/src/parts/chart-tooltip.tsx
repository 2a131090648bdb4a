import { ColorSwatch, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './chart.module.css';
import type { ChartRow, Series } from './chart-props.ts';
import type { Scale } from './chart-scale.ts';

interface TooltipProps {
  row: ChartRow;
  /** Centre of the row in pixels. */
  x: number;
  scale: Scale;
  series: readonly Series[];
  format: Intl.DateTimeFormat;
}

/** The numbers of one row, on the side of it that has more room. */
export function ChartTooltip({ row, x, scale, series, format }: TooltipProps): ReactNode {
  const isRight = x < scale.width / 2;
  return (
    <div className={styles.tooltip} style={isRight ? { left: x + 12 } : { right: scale.width - x + 12 }}>
      <Text size="xs" c="dimmed">
        {format.format(Date.parse(row.at))}
      </Text>
      {series.map(({ key, label, color }) => (
        <Group key={key} gap={6} wrap="nowrap">
          <ColorSwatch color={color} size={8} withShadow={false} />
          <Text size="xs">{label}</Text>
          <Text size="xs" fw={600} ml="auto">
            {row.values[key] === null ? '–' : (row.values[key] ?? 0).toLocaleString()}
          </Text>
        </Group>
      ))}
    </div>
  );
}
