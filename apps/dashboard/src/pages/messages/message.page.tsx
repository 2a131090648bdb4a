import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { type Message, getMessage } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useSession } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { isMasked } from '../../parts/is-masked.ts';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { MessageStatusBadge } from './columns.tsx';
import { ExplanationBanner } from './explanation-banner.tsx';
import { MessageContentCard } from './message-content.tsx';
import { MessageFacts } from './message-facts.tsx';
import { Neighbours } from './neighbours.tsx';
import { Timeline } from './timeline.tsx';
import { MESSAGE_WORDS, WORDS } from './words.ts';

const route = getRouteApi('/shell/messages/$messageId');

/** The story of one message. */
export function MessagePage(): ReactNode {
  const { messageId } = route.useParams();
  const { data, error, refetch } = useAnswer(
    ['messages', 'one', messageId],
    (signal) => getMessage({ path: { messageId }, signal }),
    { live: ['message', 'delivery'] },
  );
  if (error && !data)
    return (
      <Page title={WORDS.message} lead={messageId}>
        <ErrorState failure={error} onRetry={() => void refetch()} />
      </Page>
    );
  return data ? <Story message={data} /> : <Loading title={WORDS.message} />;
}

function Story({ message }: { message: Message }): ReactNode {
  const { messageId, recipient } = message;
  return (
    <Page
      title={`Message to ${recipient}`}
      status={<MessageStatusBadge {...message} />}
      lead={<Copyable text={messageId} label="message id" />}
      actions={<Actions message={message} />}
    >
      <Stack>
        <ExplanationBanner message={message} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
          <Section title={MESSAGE_WORDS.timeline}>
            <Timeline message={message} />
          </Section>
          <Stack>
            <MessageContentCard message={message} />
            <MessageFacts message={message} />
            <Neighbours message={message} />
          </Stack>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

function Actions({ message: { messageId, recipient } }: { message: Message }): ReactNode {
  const { features } = useSession();
  return (
    <>
      <AsCurl call={() => ({ path: `/v1/messages/${messageId}` })} />
      {features.simulator && !isMasked(recipient) && (
        <LinkButton variant="default" to="/phone" search={{ number: recipient }}>
          {MESSAGE_WORDS.phone}
        </LinkButton>
      )}
    </>
  );
}

function Loading({ title }: { title: string }): ReactNode {
  return (
    <Page title={title}>
      <Stack aria-busy="true" aria-label="Loading">
        <Skeleton height={56} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Skeleton height={360} />
          <Skeleton height={360} />
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
