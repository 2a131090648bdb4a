import { Box, Card, Chip, Group, NavLink, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { type Conversation, listConversations } from '@signalbox/client';
import { IconLock, IconMessages } from '@tabler/icons-react';
import { useMediaQuery } from '@mantine/hooks';
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Channel } from '@signalbox/domain/channel';
import { parseStopWord } from '@signalbox/domain/chat/stop-word';
import { type List, useList } from '../../api/use-list.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { isMasked } from '../../parts/is-masked.ts';
import { MoreButton, PreviousButton } from '../../parts/more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { saidIn } from '../phone/thread.ts';
import { CHANNEL_CHOICES, CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { ConversationPanel } from './conversation-panel.tsx';
import classes from './inbox.module.css';
import type { InboxSearch } from './inbox-search.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/inbox');

/** Windows that show the chosen conversation above the list, as in inbox.module.css. */
const NARROW = '(max-width: 62em)';

/** Conversations with those who wrote, and the chosen one next to them. */
export function InboxPage(): ReactNode {
  const { channel, open, with: chosen } = route.useSearch();
  const list = useList(
    ['conversations', channel, open],
    (cursor, signal) => listConversations({ query: { channel, open, cursor, limit: 30 }, signal }),
    { live: ['message'] },
  );
  const conversation = list.rows.find((each) => keyOf(each) === chosen);
  const [sender = '', recipient = ''] = chosen?.split(':') ?? [];
  return (
    <Page title={WORDS.title} lead={WORDS.lead}>
      <Filters />
      <div className={classes['layout']} data-chosen={chosen !== undefined || undefined}>
        <Stack gap="sm">
          <Card padding="xs" component="section" aria-label={WORDS.title}>
            <Conversations list={list} />
          </Card>
          <ReadFailure list={list} />
        </Stack>
        <Box miw={0}>
          {chosen === undefined || isMasked(chosen) ? (
            <NoConversation list={list} />
          ) : (
            <ConversationPanel key={chosen} sender={sender} recipient={recipient} listed={conversation} />
          )}
        </Box>
      </div>
    </Page>
  );
}

function NoConversation({ list: { rows } }: { list: List<Conversation> }): ReactNode {
  if (rows.length === 0) return null;
  if (rows.some((each) => isMasked(keyOf(each))))
    return <EmptyState title={WORDS.masked} text={WORDS.maskedText} icon={IconLock} />;
  return <EmptyState title={WORDS.choose} icon={IconMessages} />;
}

function keyOf({ sender, recipient }: Conversation): string {
  return `${sender}:${recipient}`;
}

function Filters(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const show = (next: InboxSearch): void => void navigate({ to: '/inbox', search: next, replace: true });
  const { channel: _, open: __, ...rest } = search;
  const withOpen = search.open ? { open: search.open } : {};
  const withChannel = search.channel ? { channel: search.channel } : {};
  return (
    <Group gap="sm" mb="sm">
      <SegmentedControl
        aria-label={WORDS.channel}
        value={search.channel ?? 'all'}
        data={[{ value: 'all', label: 'All' }, ...CHANNEL_CHOICES]}
        onChange={(value) =>
          show({ ...rest, ...withOpen, ...(value === 'all' ? {} : { channel: value as Channel }) })
        }
      />
      <Chip
        checked={search.open === 'true'}
        onChange={(isOpen) => show({ ...rest, ...withChannel, ...(isOpen && { open: 'true' as const }) })}
      >
        {WORDS.onlyOpen}
      </Chip>
    </Group>
  );
}

function Conversations({ list }: { list: List<Conversation> }): ReactNode {
  const { channel, open } = route.useSearch();
  const isFiltered = channel !== undefined || open !== undefined;
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  if (list.isLoading) return <Skeleton height={200} aria-label="Loading" />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.rows.length === 0 && isFiltered)
    return <EmptyState title={WORDS.noMatch} text={WORDS.noMatchText} />;
  if (list.rows.length === 0) return <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />;
  return (
    <>
      <PreviousButton list={list} />
      {list.rows.map((conversation) => (
        <Row key={keyOf(conversation)} conversation={conversation} resetsScroll={isNarrow} />
      ))}
      <MoreButton list={list} />
    </>
  );
}

interface RowProps {
  conversation: Conversation;
  /** True where the conversation opens at the top of the page. */
  resetsScroll: boolean;
}

function Row({ conversation, resetsScroll }: RowProps): ReactNode {
  const search = route.useSearch();
  const { recipient, sender, channel, lastInbound, lastInboundAt } = conversation;
  const key = keyOf(conversation);
  const isOpen = search.with === key;
  return (
    <NavLink
      active={isOpen}
      label={
        <Group justify="space-between" gap={6} wrap="nowrap">
          <Text fw={600} truncate>
            {recipient}
          </Text>
          <Text size="xs" c={isOpen ? 'var(--mantine-color-text)' : 'dimmed'}>
            <Time at={lastInboundAt} />
          </Text>
        </Group>
      }
      description={
        <>
          <Text size="sm" truncate component="span" display="block" dir="auto" c="var(--mantine-color-text)">
            {saidIn(lastInbound)}
          </Text>
          <Group gap={6} component="span" c={isOpen ? 'var(--mantine-color-text)' : 'dimmed'}>
            {CHANNEL_NAMES[channel]} {WORDS.to(sender)}
            <Wait conversation={conversation} />
          </Group>
        </>
      }
      renderRoot={(props) =>
        isMasked(key) ? (
          <Box {...props} style={{ cursor: 'default' }} />
        ) : (
          <Link {...props} to="/inbox" search={{ ...search, with: key }} resetScroll={resetsScroll} />
        )
      }
    />
  );
}

/** Says that the person waits for a reply. STOP and START wait for none; a STOP stays marked. */
function Wait({
  conversation: { channel, lastInbound, isAnswered },
}: {
  conversation: Conversation;
}): ReactNode {
  const word = parseStopWord(saidIn(lastInbound), channel);
  if (word === 'stop') return <Status status="stop" label={WORDS.stopped} />;
  if (word === 'start' || isAnswered) return null;
  return <Status status="waiting" color="yellow" label={WORDS.waiting} />;
}
