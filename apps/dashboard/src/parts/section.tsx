import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** Buttons or figures on the right of the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A titled card of a page. */
export function Section({ title, lead, actions, children }: SectionProps): ReactNode {
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={2}>{title}</Title>
            {lead !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {lead}
              </Text>
            )}
          </div>
          {actions}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
