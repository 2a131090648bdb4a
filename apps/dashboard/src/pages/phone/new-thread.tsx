import { Button, Collapse, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { Channel } from '@signalbox/domain/channel';
import { Form } from '../../parts/form.tsx';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { onText } from '../../parts/on-text.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { threadKey } from './thread.ts';
import { WORDS } from './words.ts';

/** Starts a conversation with a sender that has not written yet. */
export function NewThread({ onStart }: { onStart: (key: string) => void }): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(false);
  const [channel, setChannel] = useState<Channel>('chatapp');
  const [sender, setSender] = useState('');
  const start = (): void => {
    if (sender.trim() !== '')
      onStart(threadKey(channel, channel === 'sms' ? sender.trim() : sender.replace(/\D/g, '')));
  };
  return (
    <Stack gap="xs" maw={340} mx="auto" w="100%">
      <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
        {WORDS.newThread}
      </Button>
      <Collapse expanded={isOpen}>
        <Form onSubmit={start}>
          <Stack gap="xs">
            <SegmentedControl
              data={CHANNEL_CHOICES}
              value={channel}
              onChange={(value) => setChannel(value as Channel)}
              aria-label={WORDS.channel}
            />
            <Group align="flex-end" gap="xs" wrap="nowrap">
              <TextInput
                flex={1}
                label={WORDS.sender}
                description={WORDS.senderHint[channel]}
                maxLength={20}
                value={sender}
                onChange={onText(setSender)}
              />
              <SubmitButton>{WORDS.start}</SubmitButton>
            </Group>
          </Stack>
        </Form>
      </Collapse>
    </Stack>
  );
}
