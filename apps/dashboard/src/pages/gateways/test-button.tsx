import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Gateway, getMessage, testGateway } from '@signalbox/client';
import { IconSend } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ApiFailure, fieldErrorsOf } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Status } from '../../parts/status.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { whenValid } from '../../parts/when-valid.ts';
import { WORDS } from './words.ts';

/** Sends one message through a gateway, and follows its status. */
export function TestButton({ gateway }: { gateway: Gateway }): ReactNode {
  return (
    <DialogButton
      label={WORDS.test}
      title={WORDS.testTitle}
      variant="default"
      leftSection={<IconSend size={16} />}
    >
      {() => <TestForm name={gateway.name} />}
    </DialogButton>
  );
}

function TestForm({ name }: { name: string }): ReactNode {
  const form = useForm({ initialValues: { sender: '', to: '', text: 'Test message' } });
  const test = useAct((body: typeof form.values, headers) => testGateway({ path: { name }, body, headers }), {
    showsFailure: false,
  });
  const showErrors = (failure: ApiFailure) => form.setErrors(fieldErrorsOf(failure));
  const [sent] = test.data?.data ?? [];
  return (
    <Form onSubmit={whenValid(form, (values) => test.mutateAsync(values, { onError: showErrors }))}>
      <Stack>
        <Text size="sm">{WORDS.testText}</Text>
        <TextInput label={WORDS.testSender} required {...form.getInputProps('sender')} />
        <TextInput label={WORDS.testTo} required inputMode="tel" {...form.getInputProps('to')} />
        <TextInput label={WORDS.testBody} maxLength={160} {...form.getInputProps('text')} />
        <FailureAlert failure={test.error} />
        {sent && <Sent messageId={sent.messageId} />}
        <SubmitButton>{WORDS.testSend}</SubmitButton>
      </Stack>
    </Form>
  );
}

function Sent({ messageId }: { messageId: string }): ReactNode {
  const message = useAnswer(
    ['messages', messageId, 'test'],
    (signal) => getMessage({ path: { messageId }, signal }),
    {
      refetchInterval: 1_000,
    },
  );
  return (
    <Group gap="sm" role="status">
      <Text size="sm">{WORDS.testSent}</Text>
      {message.data && <Status status={message.data.status} />}
      <TextLink size="sm" to="/messages/$messageId" params={{ messageId }}>
        Open the message
      </TextLink>
    </Group>
  );
}
