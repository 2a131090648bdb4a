import { Badge, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { Sender } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useSession } from '../../app/use-session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Page } from '../../parts/page.tsx';
import { ReadFailure } from '../../parts/read-failure.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { CreateAccount } from '../chat-accounts/create-account.tsx';
import { Senders } from '../chat-accounts/senders.tsx';
import { useChatAccounts } from '../chat-accounts/use-chat-accounts.ts';
import { Assignments } from './assignments.tsx';
import { useSenders } from './use-senders.ts';
import { WORDS } from './words.ts';

/** Chat accounts with their numbers, and the senders of SMS. */
export function SendersPage(): ReactNode {
  const { scopes } = useSession();
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={<CreateAccount />}>
      <Stack>
        <ChatAccounts />
        <SmsSenders />
        {scopes.includes('ops') && <Assignments />}
      </Stack>
    </Page>
  );
}

function ChatAccounts(): ReactNode {
  const list = useChatAccounts();
  if (list.unread) return <ErrorState failure={list.unread} onRetry={list.reload} />;
  if (list.isLoading) return <Skeleton height={160} aria-label="Loading" />;
  if (list.rows.length === 0)
    return (
      <Card>
        <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />
      </Card>
    );
  return (
    <>
      {list.rows.map(({ id, name }) => (
        <Senders key={id} id={id} title={name} />
      ))}
      <MoreButton list={list} label={WORDS.moreAccounts} />
      <ReadFailure list={list} />
    </>
  );
}

function SmsSenders(): ReactNode {
  const { data, error, refetch } = useSenders();
  const senders = (data ?? []).filter(({ channel }) => channel === 'sms');
  return (
    <Section title={WORDS.sms} lead={senders.length === 0 && data ? WORDS.noSms : WORDS.smsText}>
      {error && !data && <ErrorState failure={error} onRetry={() => void refetch()} />}
      <Group gap="xs">
        {senders.map((sender) => (
          <SmsSender key={sender.sender} sender={sender} />
        ))}
      </Group>
    </Section>
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
