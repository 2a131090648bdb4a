import { Alert, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NoticeLink } from '../../parts/links.tsx';
import { useConcerns } from './use-attention.ts';
import { WORDS } from './words.ts';

/** Concerns that need a person, each with a link to where it is fixed. */
export function Attention(): ReactNode {
  const known = useConcerns();
  if (!known) return null;
  const { concerns, isPartial } = known;
  if (concerns.length === 0 && isPartial) return <Text size="sm">{WORDS.unread}</Text>;
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
        {concerns.map(({ text, ...page }) => (
          <List.Item key={text}>
            <NoticeLink {...page}>{text}</NoticeLink>
          </List.Item>
        ))}
      </List>
      {isPartial && <Text size="sm">{WORDS.unread}</Text>}
    </Alert>
  );
}
