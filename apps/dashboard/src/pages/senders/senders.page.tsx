import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { type Sender, listSenders } from '@signalbox/client';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { wholeList } from '../../api/whole-list.ts';
import { useSession } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Assignments } from './assignments.tsx';
import { WORDS } from './words.ts';

/** The numbers of the chat accounts, the senders of SMS, and for operators the owners of all numbers. */
export function SendersPage(): ReactNode {
  const { scopes } = useSession();
  return (
    <Page
      title={WORDS.title}
      lead={WORDS.lead}
      crumbs={[{ label: 'Utility Manager' }]}
      actions={<AccountsButton />}
    >
      <Stack gap="lg">
        <ChatNumbers />
        <SmsSenders />
        {scopes.includes('ops') && <Assignments />}
      </Stack>
    </Page>
  );
}

function AccountsButton(): ReactNode {
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/chat-accounts" />}>
      {WORDS.accounts}
    </Button>
  );
}

const COLUMNS: readonly Column<Sender>[] = [
  { id: 'number', label: WORDS.number, cell: ({ sender }) => sender },
  { id: 'account', label: WORDS.account, cell: ({ chatAccountName }) => chatAccountName },
  {
    id: 'window',
    label: WORDS.window,
    cell: ({ sessionWindow }) => WORDS.windows[sessionWindow ?? 'off'],
    width: 'minmax(180px, 1.5fr)',
  },
];

function ChatNumbers(): ReactNode {
  const answer = useAnswer(['senders'], (signal) => listSenders({ signal }));
  const rows = useMemo(
    () => (answer.data ?? []).filter(({ channel }) => channel === 'chatapp'),
    [answer.data],
  );
  return (
    <section aria-label={WORDS.chat}>
      <Title order={2} mb="sm">
        {WORDS.chat}
      </Title>
      <DataList
        label={WORDS.chat}
        list={wholeList(answer, rows)}
        columns={COLUMNS}
        rowKey={({ sender }) => sender}
        rowLink={({ chatAccountId }) => ({ to: '/chat-accounts/$id', params: { id: String(chatAccountId) } })}
        empty={
          <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText}>
            <AccountsButton />
          </EmptyState>
        }
      />
    </section>
  );
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
