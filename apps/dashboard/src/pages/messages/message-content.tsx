import { Group, Paper, Text } from '@mantine/core';
import type { Message } from '@signalbox/client';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { counted } from '../../parts/counted.ts';
import { ChatBubble, TextBubble } from '../../parts/phone/phone-message.tsx';
import { Section } from '../../parts/section.tsx';
import { MESSAGE_WORDS } from './words.ts';

/** The message as its recipient got it. */
export function MessageContentCard({ message }: { message: Message }): ReactNode {
  const { content, credits, channel } = message;
  const size =
    channel === 'sms'
      ? `${counted(credits, 'segment')}, ${counted(credits, 'credit')}`
      : counted(credits, 'credit');
  return (
    <Section
      title={MESSAGE_WORDS.content}
      actions={
        <Text size="sm" c="dimmed">
          {[content.encoding, content.flash ? 'flash' : undefined, size].filter(Boolean).join(' · ')}
        </Text>
      }
    >
      <Paper p="sm" radius="md" bg="var(--sb-ground)" maw={420}>
        <Content message={message} />
      </Paper>
    </Section>
  );
}

function Content({ message: { content } }: { message: Message }): ReactNode {
  if (content.isCode)
    return (
      <Group gap="xs" wrap="nowrap" c="dimmed">
        <IconLock size={16} style={{ flex: 'none' }} />
        <Text size="sm">{MESSAGE_WORDS.code}</Text>
      </Group>
    );
  if (content.rendered) return <ChatBubble content={content.rendered as RenderedChat} />;
  if (content.text === null)
    return (
      <Text size="sm" c="dimmed">
        {MESSAGE_WORDS.noText}
      </Text>
    );
  return <TextBubble text={content.text} />;
}
