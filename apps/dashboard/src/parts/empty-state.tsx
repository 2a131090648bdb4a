import { Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { type Icon, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  text?: ReactNode;
  icon?: Icon;
  /** Buttons or commands that lead out of it. */
  children?: ReactNode;
}

/** The state of a place without content: what would be here, and how it gets here. */
export function EmptyState({ title, text, icon: Symbol = IconInbox, children }: EmptyStateProps): ReactNode {
  return (
    <Stack align="center" gap="xs" py={56} px="md" ta="center">
      <ThemeIcon size={44} radius="xl" variant="light" aria-hidden>
        <Symbol size={22} stroke={1.6} />
      </ThemeIcon>
      <Title order={2} mt={6}>
        {title}
      </Title>
      {text !== undefined && (
        <Text c="dimmed" maw={460} component="div">
          {text}
        </Text>
      )}
      {children !== undefined && (
        <Group mt="sm" justify="center">
          {children}
        </Group>
      )}
    </Stack>
  );
}
