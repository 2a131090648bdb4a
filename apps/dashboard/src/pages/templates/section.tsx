import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A titled group of fields. */
export function Section({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
