import { Group, Progress, Text } from '@mantine/core';
import type { Send } from '@signalbox/client';
import type { ReactNode } from 'react';

const PARTS = [
  ['Delivered', 'teal.6', ({ statuses }: Send) => statuses.Delivered + statuses.Read],
  ['Sent', 'blue.5', ({ statuses }: Send) => statuses.Sent],
  ['Failed', 'red.6', ({ statuses }: Send) => statuses.Failed],
] as const;

/** Shares of the bar and of its text in the width, by the size of the bar. */
const SHARES = {
  sm: { bar: '1 1 30%', text: '1 1 70%' },
  lg: { bar: '1 1 45%', text: '1 1 55%' },
} as const;

/** The messages of a send by status, as a bar and as text. */
export function SendProgress({ send, size = 'sm' }: { send: Send; size?: keyof typeof SHARES }): ReactNode {
  const shares = SHARES[size];
  const parts = PARTS.map(([label, color, count]) => ({ label, color, count: count(send) }));
  const words = [...parts, { label: 'Pending', count: send.statuses.Pending }]
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count.toLocaleString()} ${label.toLowerCase()}`)
    .join(', ');
  return (
    <Group gap="xs" wrap="nowrap" w="100%">
      <Progress.Root size={size} flex={shares.bar} miw={50} aria-hidden>
        {parts.map(({ label, color, count }) => (
          <Progress.Section key={label} value={(100 * count) / send.totalCount} color={color} />
        ))}
      </Progress.Root>
      <Text size="xs" c="dimmed" truncate flex={shares.text} title={words}>
        {words}
      </Text>
    </Group>
  );
}
