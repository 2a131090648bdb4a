import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { type ChatTemplate, chatTemplateList } from '@signalbox/client';
import { IconChecks } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type List, useList } from '../../api/use-list.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { HeldList } from '../../parts/held-list.ts';
import { TextLink } from '../../parts/links.tsx';
import { MoreButton, PreviousButton } from '../../parts/more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { ChatBubble } from '../../parts/phone/phone-message.tsx';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Time } from '../../parts/time.tsx';
import { draftOf, renderDraft } from './draft.ts';
import { ReviewButtons } from './review-buttons.tsx';
import { WORDS } from './words.ts';

const { review: WORD } = WORDS;

/** Templates that wait for a person's decision, each as the phone shows it. */
export function ReviewPage(): ReactNode {
  const list = useList(
    ['templates', 'review'],
    (cursor, signal) => chatTemplateList({ query: { status: 'Pending', cursor, limit: 20 }, signal }),
    { live: ['template'] },
  );
  return (
    <Page title={WORD.queueTitle} lead={WORD.queueLead}>
      <Queue list={list} />
    </Page>
  );
}

function Queue({ list }: { list: List<ChatTemplate> }): ReactNode {
  if (list.isLoading) return <Skeleton height={240} aria-label="Loading" />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.rows.length === 0)
    return <EmptyState title={WORD.emptyTitle} text={WORD.emptyText} icon={IconChecks} />;
  return (
    <HeldList value={list.hold}>
      <PreviousButton list={list} />
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
        {list.rows.map((template) => (
          <Waiting key={template.id} template={template} />
        ))}
      </SimpleGrid>
      <MoreButton list={list} />
      <ReadFailure list={list} />
    </HeldList>
  );
}

function Waiting({ template }: { template: ChatTemplate }): ReactNode {
  const { id, name, language, category, updatedAt, registration } = template;
  return (
    <Card component="article" aria-label={name}>
      <Stack gap="sm" h="100%">
        <div>
          <TextLink fw={600} style={{ overflowWrap: 'anywhere' }} to="/templates/$id" params={{ id }}>
            {name}
          </TextLink>
          <Text size="sm" c="dimmed" component="div">
            {WORDS.categories[category]} · {language} · <Time at={updatedAt} />
          </Text>
        </div>
        <Card bg="light-dark(#eef3f4, #0f171d)" withBorder={false} padding="sm" flex={1}>
          <ChatBubble content={renderDraft(draftOf(template))} />
        </Card>
        <Group gap="xs">
          {registration ? <Text size="sm">{WORD.byProvider}</Text> : <ReviewButtons template={template} />}
        </Group>
      </Stack>
    </Card>
  );
}
