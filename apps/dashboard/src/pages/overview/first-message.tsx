import { Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { DEMO } from '@signalbox/domain/demo';
import { useMay, useSession } from '../../app/use-session.ts';
import type { ReactNode } from 'react';
import { CopyIcon } from '../../parts/copyable.tsx';
import { curlOf } from '../../parts/curl.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { WORDS } from './words.ts';

const BODY = { sender: 'SIGNAL', to: '919812345678', text: 'Hello from Signalbox', type: 'TRANS' };

/**
 * The state of an account without messages: the page that sends a first one, and three commands that do. Who may not
 * send reads that nothing was sent.
 */
export function FirstMessage(): ReactNode {
  if (!useMay('send')) return <EmptyState title={WORDS.unsentTitle} text={WORDS.unsentText} />;
  return (
    <Card p={{ base: 'md', sm: 'xl' }}>
      <Title order={2}>{WORDS.emptyTitle}</Title>
      <Text c="dimmed" mb="md" maw={560}>
        {WORDS.emptyText}
      </Text>
      <PagesToTry />
      <Commands />
    </Card>
  );
}

function Commands(): ReactNode {
  const { origin } = window.location;
  const { email, accountName } = useSession();
  const mayCreateKeys = useMay('manage');
  const isDemo = email === DEMO.email && accountName === DEMO.account;
  const commands = [
    isDemo
      ? [WORDS.load, '. .signalbox/demo.env']
      : [mayCreateKeys ? WORDS.set : WORDS.setByAdmin, 'export SIGNALBOX_API_KEY=sb_…'],
    [WORDS.send, curlOf({ path: '/v1/sms', body: BODY }, origin)],
    [WORDS.look, curlOf({ path: '/v1/messages?limit=1' }, origin)],
  ] as const;
  return (
    <>
      <Text c="dimmed" mb="md">
        {isDemo ? WORDS.commandsOfDemo : WORDS.commands}
      </Text>
      <Stack gap="md">
        {commands.map(([label, command], place) => (
          <div key={label}>
            <Group justify="space-between" mb={4} wrap="nowrap">
              <Text fw={600} size="sm">
                {place + 1}. {label}
              </Text>
              <CopyIcon text={command} label={`command ${place + 1}`} />
            </Group>
            <Code block tabIndex={0}>
              {command}
            </Code>
          </div>
        ))}
      </Stack>
    </>
  );
}

/** The pages that send a message, and show it on a phone. */
function PagesToTry(): ReactNode {
  const { features } = useSession();
  return (
    <Group mb="lg" gap="sm">
      <LinkButton to="/send" search={{ to: BODY.to }}>
        {WORDS.sendHere}
      </LinkButton>
      {features.simulator && (
        <LinkButton to="/phone" search={{ number: BODY.to }} variant="default">
          {WORDS.openPhone}
        </LinkButton>
      )}
    </Group>
  );
}
