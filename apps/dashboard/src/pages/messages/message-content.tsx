import { Card, Group, Image, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { Message } from '@signalbox/client';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MESSAGE_WORDS } from './words.ts';

/** The message as its recipient got it. */
export function MessageContentCard({ message }: { message: Message }): ReactNode {
  const { content, credits, channel } = message;
  const size =
    channel === 'sms'
      ? `${credits} ${credits === 1 ? 'segment' : 'segments'}, ${credits} ${credits === 1 ? 'credit' : 'credits'}`
      : `${credits} credit`;
  return (
    <Card component="section" aria-label={MESSAGE_WORDS.content}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{MESSAGE_WORDS.content}</Title>
        <Text size="sm" c="dimmed">
          {[content.encoding, content.flash ? 'flash' : undefined, size].filter(Boolean).join(' · ')}
        </Text>
      </Group>
      <Paper p="sm" radius="md" bg="var(--sb-ground)" maw={420}>
        <Content message={message} />
      </Paper>
    </Card>
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
  if (content.rendered) return <Rendered chat={content.rendered as RenderedChat} />;
  if (content.text === null)
    return (
      <Text size="sm" c="dimmed">
        {MESSAGE_WORDS.noText}
      </Text>
    );
  return <Body text={content.text} />;
}

function Body({ text }: { text: string }): ReactNode {
  return <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>;
}

/** A chat-app message: header, body, footer, buttons, list and cards. */
function Rendered({ chat }: { chat: RenderedChat }): ReactNode {
  const { header, body, footer, buttons = [], list, cards = [] } = chat;
  return (
    <Stack gap={6}>
      {header && <Header header={header} />}
      {body !== undefined && <Body text={body} />}
      {footer !== undefined && (
        <Text size="sm" c="dimmed">
          {footer}
        </Text>
      )}
      <Buttons texts={buttons.map(({ text, url, phone_number: number }) => [text, url ?? number])} />
      {list?.sections.map(({ title, rows }) => (
        <div key={title ?? rows[0]?.id}>
          {title !== undefined && <Text fw={600}>{title}</Text>}
          <List size="sm">
            {rows.map(({ id, title: row, description }) => (
              <List.Item key={id}>{description === undefined ? row : `${row}: ${description}`}</List.Item>
            ))}
          </List>
        </div>
      ))}
      {cards.map((card) => (
        <Paper key={card.image + card.body} p="xs" withBorder>
          <Body text={card.body} />
          {card.footer !== undefined && <Text size="sm">{card.footer}</Text>}
          <Buttons texts={card.buttons.map(({ text, url }) => [text, url])} />
        </Paper>
      ))}
    </Stack>
  );
}

function Header({ header }: { header: NonNullable<RenderedChat['header']> }): ReactNode {
  if (header.type === 'text') return <Text fw={600}>{header.text}</Text>;
  if (header.type === 'image' && 'link' in header && header.link.startsWith(window.location.origin))
    return <Image src={header.link} alt="" radius="sm" mah={180} fit="contain" />;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {`${header.type}: ${'link' in header ? header.link : 'file of the template'}`}
    </Text>
  );
}

function Buttons({
  texts,
}: {
  texts: readonly (readonly [text: string, target: string | undefined])[];
}): ReactNode {
  return texts.map(([text, target]) => (
    <Paper key={text + target} withBorder px="sm" py={4} ta="center" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm" fw={600}>
        {text}
      </Text>
      {target !== undefined && (
        <Text size="xs" c="dimmed">
          {target}
        </Text>
      )}
    </Paper>
  ));
}
