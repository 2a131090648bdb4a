import { Button, Group, Text } from '@mantine/core';
import { type Message, cancelSend } from '@signalbox/client';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { MESSAGE_WORDS } from './words.ts';

/** The place of a message in its send, and the way to its neighbours. */
export function Neighbours({ message }: { message: Message }): ReactNode {
  const { messageId, sendSize } = message;
  const [submissionId = '', position = '1'] = messageId.split(':');
  const n = Number(position);
  return (
    <Section
      title={MESSAGE_WORDS.send}
      actions={
        <Text size="sm" c="dimmed">
          {`Message ${n.toLocaleString()} of ${sendSize.toLocaleString()}`}
        </Text>
      }
    >
      <Group gap="xs">
        {sendSize > 1 && (
          <>
            <Step submissionId={submissionId} n={n - 1} isThere={n > 1} label={MESSAGE_WORDS.previous} />
            <Step submissionId={submissionId} n={n + 1} isThere={n < sendSize} label={MESSAGE_WORDS.next} />
            <LinkButton variant="subtle" size="xs" to="/messages" search={{ submissionId }}>
              {MESSAGE_WORDS.allOfSend}
            </LinkButton>
          </>
        )}
        <LinkButton variant="subtle" size="xs" to="/sends/$sendId" params={{ sendId: submissionId }}>
          {MESSAGE_WORDS.progress}
        </LinkButton>
        {message.status === 'Pending' && sendSize === 1 && <CancelOne message={message} />}
      </Group>
    </Section>
  );
}

/** Cancels a message that is the only one of its send. */
function CancelOne({ message: { messageId } }: { message: Message }): ReactNode {
  const maySend = useMay('send');
  const path = { sendId: messageId.split(':')[0]! };
  const cancel = useAct(() => cancelSend({ path }), {
    changes: ['messages', 'sends'],
    done: ({ message }) => message,
  });
  if (!maySend) return null;
  return (
    <ConfirmButton
      size="xs"
      question="Cancel this message?"
      consequence="It fails with errCode 902 unless a gateway has it already. This cannot be undone."
      verb={MESSAGE_WORDS.cancel}
      onConfirm={() => cancel.mutateAsync()}
    >
      {MESSAGE_WORDS.cancel}
    </ConfirmButton>
  );
}

interface StepProps {
  submissionId: string;
  n: number;
  isThere: boolean;
  label: string;
}

function Step({ submissionId, n, isThere, label }: StepProps): ReactNode {
  const icon =
    label === MESSAGE_WORDS.previous ? <IconChevronLeft size={16} /> : <IconChevronRight size={16} />;
  if (!isThere)
    return (
      <Button variant="default" size="xs" disabled aria-label={label}>
        {icon}
      </Button>
    );
  return (
    <LinkButton
      variant="default"
      size="xs"
      aria-label={label}
      to="/messages/$messageId"
      params={{ messageId: `${submissionId}:${n}` }}
    >
      {icon}
    </LinkButton>
  );
}
