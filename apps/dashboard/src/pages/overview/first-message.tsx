import { Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconSend } from '@tabler/icons-react';
import { useMay } from '../../app/use-session.ts';
import { CopyIcon } from '../../parts/copyable.tsx';
import { curlOf } from '../../parts/curl.ts';
import { LinkButton } from '../../parts/links.tsx';
import { WORDS } from './words.ts';

const BODY = { sender: 'SIGNAL', to: '919812345678', text: 'Hello from Signalbox', type: 'TRANS' };

/** The state of an account without messages: the ways to send a first one. */
export function FirstMessage(): ReactNode {
  const { origin } = window.location;
  const commands = [
    [WORDS.load, '. .signalbox/demo.env'],
    [WORDS.send, curlOf({ path: '/v1/sms', body: BODY }, origin)],
    [WORDS.look, curlOf({ path: '/v1/messages?limit=1' }, origin)],
  ] as const;
  return (
    <Card p={{ base: 'md', sm: 'xl' }}>
      <Title order={2}>{WORDS.emptyTitle}</Title>
      <Text c="dimmed" mb="md" maw={560}>
        {WORDS.emptyText}
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
      {useMay('send') && (
        <Group mt="lg">
          <LinkButton to="/send" variant="default" leftSection={<IconSend size={16} />}>
            {WORDS.write}
          </LinkButton>
        </Group>
      )}
    </Card>
  );
}
