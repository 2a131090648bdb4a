import { Checkbox, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookForm } from './webhook-form.ts';
import { EVENTS } from './webhook-values.ts';
import { WORDS } from './words.ts';

/** The events of a chat-app configuration. */
export function EventChoice({ form }: { form: WebhookForm }): ReactNode {
  return (
    <Checkbox.Group label={WORDS.events} required {...form.getInputProps('events')}>
      <Group mt={6} gap="lg">
        {EVENTS.map((event) => (
          <Checkbox key={event} value={event} label={WORDS.eventNames[event]} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
