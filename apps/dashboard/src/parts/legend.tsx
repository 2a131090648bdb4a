import { ColorSwatch, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Series } from './chart-props.ts';

/** Names the colours of a chart, whose label says the same to screen readers. */
export function Legend({ series }: { series: readonly Series[] }): ReactNode {
  return (
    <Group gap="sm" aria-hidden>
      {series.map(({ key, label, color }) => (
        <Group key={key} gap={5} wrap="nowrap">
          <ColorSwatch color={color} size={9} withShadow={false} />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  );
}
