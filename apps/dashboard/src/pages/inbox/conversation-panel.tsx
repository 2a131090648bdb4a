import { Alert, Skeleton, Text } from '@mantine/core';
import {
  type Conversation,
  type ConversationEntry,
  listConversationMessages,
  listConversations,
} from '@signalbox/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { TextLink } from '../../parts/links.tsx';
import { MoreButton, PreviousButton } from '../../parts/more-button.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { ChatBubble, TextBubble } from '../../parts/phone/phone-message.tsx';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { saidIn } from '../phone/thread.ts';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { ReplyFields } from './reply-fields.tsx';
import { WORDS } from './words.ts';

const MINUTE_MS = 60_000;

interface ConversationPanelProps {
  sender: string;
  recipient: string;
  /** Undefined while the list does not hold it. */
  listed: Conversation | undefined;
}

/** The messages of a conversation in both directions, the session window, and the fields to answer. */
export function ConversationPanel({ sender, recipient, listed }: ConversationPanelProps): ReactNode {
  const { conversation, unread } = useConversation(sender, recipient, listed);
  const mayWrite = useMay('send');
  const list = useList(
    ['conversations', sender, recipient],
    (cursor, signal) =>
      listConversationMessages({ path: { sender, recipient }, query: { cursor, limit: 30 }, signal }),
    { live: ['message'] },
  );
  if (list.isLoading) return <Skeleton height={480} aria-label="Loading" />;
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  const channel = conversation?.channel ?? 'chatapp';
  return (
    <>
      {channel === 'chatapp' && conversation && <SessionWindow until={conversation.sessionOpenUntil} />}
      <PhonePreview
        title={recipient}
        subtitle={`${CHANNEL_NAMES[channel]} ${WORDS.to(sender)}`}
        last={list.skipped === 0 ? list.rows[0] && keyOf(list.rows[0]) : undefined}
      >
        <MoreButton list={list} label={WORDS.older} />
        {list.rows.length === 0 && (
          <Text size="sm" c="dimmed" ta="center" mt="xl">
            {WORDS.noEntries}
          </Text>
        )}
        {list.rows.toReversed().map((entry) => (
          <Entry key={keyOf(entry)} entry={entry} />
        ))}
        <PreviousButton list={list} label={WORDS.newer} />
      </PhonePreview>
      <ReadFailure list={list} />
      {unread && <ErrorState failure={unread.error} onRetry={() => void unread.refetch()} />}
      {mayWrite && conversation && (
        <ReplyFields
          sender={sender}
          recipient={recipient}
          channel={channel}
          isOpen={channel === 'sms' || conversation.sessionOpenUntil !== null}
        />
      )}
    </>
  );
}

/**
 * A conversation as the list has it, or as it is read when the list does not hold it. Meanwhile it stays as it was, so
 * that a reply stays, too. `unread` is a read that failed and left nothing to show.
 */
function useConversation(
  sender: string,
  recipient: string,
  listed: Conversation | undefined,
): { conversation: Conversation | undefined; unread: UseQueryResult | undefined } {
  const found = useAnswer(
    ['conversations', sender, recipient, 'state'],
    (signal) => listConversations({ query: { sender, recipient, limit: 1 }, signal }),
    { enabled: listed === undefined, live: ['message'] },
  );
  const value = listed ?? found.data?.[0];
  const [latest, setLatest] = useState(value);
  if (value !== undefined && value !== latest) setLatest(value);
  const conversation = value ?? latest;
  return { conversation, unread: conversation === undefined && found.error ? found : undefined };
}

function keyOf({ inbound, message }: ConversationEntry): string | undefined {
  return inbound?.id ?? message?.messageId;
}

function SessionWindow({ until }: { until: string | null }): ReactNode {
  const now = useNow(MINUTE_MS);
  const left = until === null ? 0 : Math.floor((Date.parse(until) - now) / MINUTE_MS);
  return (
    <Alert color={left > 0 ? 'teal' : 'yellow'} mb="sm" role="status">
      {left > 0 ? WORDS.open(WORDS.hours(Math.floor(left / 60), left % 60)) : WORDS.closed}
    </Alert>
  );
}

function Entry({ entry: { at, inbound, message, content } }: { entry: ConversationEntry }): ReactNode {
  const time = <Time at={at} as="short" />;
  if (inbound) return <TextBubble text={saidIn(inbound)} note={time} />;
  if (!message) return null;
  const note = (
    <>
      <Status status={message.status} />{' '}
      <TextLink fz="inherit" to="/messages/$messageId" params={{ messageId: message.messageId }}>
        {time}
      </TextLink>
    </>
  );
  if (content?.rendered) return <ChatBubble isOwn content={content.rendered as RenderedChat} note={note} />;
  return <TextBubble isOwn text={content?.text ?? WORDS.code} note={note} />;
}
