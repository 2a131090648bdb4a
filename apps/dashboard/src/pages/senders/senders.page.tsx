import { Badge, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type Sender, listChatAccounts, listSenders } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useList } from '../../api/use-list.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { AddChatAccount } from './add-chat-account.tsx';
import { Assignments } from './assignments.tsx';
import { ChatAccountCard } from './chat-account-card.tsx';
import { WORDS } from './words.ts';

/** Chat accounts with their numbers, and the senders of SMS. */
export function SendersPage(): ReactNode {
  const mayManage = useMay('manage');
  const { scopes } = useSession();
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={mayManage && <AddChatAccount />}>
      <Stack>
        <ChatAccounts />
        <SmsSenders />
        {scopes.includes('ops') && <Assignments />}
      </Stack>
    </Page>
  );
}

function ChatAccounts(): ReactNode {
  const list = useList(['senders', 'accounts'], (cursor, signal) =>
    listChatAccounts({ query: { limit: 200, ...(cursor !== undefined && { cursor }) }, signal }),
  );
  if (list.failure && list.rows.length === 0)
    return <ErrorState failure={list.failure} onRetry={list.reload} />;
  if (list.isLoading) return <Skeleton height={160} aria-label="Loading" />;
  if (list.rows.length === 0)
    return (
      <Card>
        <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />
      </Card>
    );
  return list.rows.map((account) => <ChatAccountCard key={account.id} account={account} />);
}

function SmsSenders(): ReactNode {
  const { data, error } = useAnswer(['senders'], (signal) => listSenders({ signal }));
  const senders = (data ?? []).filter(({ channel }) => channel === 'sms');
  return (
    <Card component="section" aria-label={WORDS.sms}>
      <Title order={2}>{WORDS.sms}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {senders.length === 0 && data ? WORDS.noSms : WORDS.smsText}
      </Text>
      {error && <ErrorState failure={error} />}
      <Group gap="xs">
        {senders.map((sender) => (
          <SmsSender key={sender.sender} sender={sender} />
        ))}
      </Group>
    </Card>
  );
}

function SmsSender({ sender: { sender, lastUsedAt } }: { sender: Sender }): ReactNode {
  return (
    <Badge variant="default" tt="none" size="lg" radius="sm">
      {sender}
      {lastUsedAt !== null && (
        <Text span size="xs" c="dimmed" ml={6}>
          <Time at={lastUsedAt} />
        </Text>
      )}
    </Badge>
  );
}
