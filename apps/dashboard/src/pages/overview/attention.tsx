import { Alert, Anchor, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Concern, useConcerns } from './use-attention.ts';
import { WORDS } from './words.ts';

/** Concerns that need a person, each with a link to where it is mended. */
export function Attention(): ReactNode {
  const concerns = useConcerns();
  if (!concerns) return null;
  if (concerns.length === 0)
    return (
      <Group gap={6} c="dimmed">
        <IconCircleCheck size={17} stroke={1.7} aria-hidden />
        <Text size="sm">{WORDS.nothing}</Text>
      </Group>
    );
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={WORDS.attention}>
      <List size="sm" listStyleType="none">
        {concerns.map((concern) => (
          <List.Item key={concern.text}>
            <ConcernLink concern={concern} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function ConcernLink({ concern: { text, path } }: { concern: Concern }): ReactNode {
  const router = useRouter();
  const href = router.options.basepath + path;
  const open = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <Anchor href={href} onClick={open} size="sm" underline="always" c="inherit">
      {text}
    </Anchor>
  );
}
