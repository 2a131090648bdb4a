import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconChecks, IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { AsCurl } from '../../parts/as-curl.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/counted.ts';
import { WORDS } from './words.ts';

/** The outcome of a call, as a mutation has it. */
interface Calling {
  error: ApiFailure | null;
}

/** The messages of a send. */
interface PlannedMessages {
  count: number;
  /** Number of the first recipient. */
  recipient: string | undefined;
  /** Cost of all, where it is known. */
  cost?: string | undefined;
}

interface SendButtonsProps {
  /** Sentence about the part that is missing. */
  problem: string | undefined;
  messages: PlannedMessages;
  sendAt: string | undefined;
  path: string;
  /** The composed message: another object after each change. */
  draft: object;
  /** Builds the body of the request, which may be large: only for a call. */
  body: () => unknown;
  check: Calling & { run: () => Promise<unknown> };
  send: Calling & { reset: () => void };
  onSend: () => Promise<void>;
  /** True while fields of the page show why they were refused. */
  isRefused: boolean;
  /** The answer of the last check. */
  result: ReactNode;
}

/** Check, Send and Copy as curl, with the answers of the first two. The check belongs to one draft. */
export function SendButtons(props: SendButtonsProps): ReactNode {
  const { problem, messages, sendAt, path, draft, body, check, send, onSend, isRefused, result } = props;
  const [checked, setChecked] = useState<object>();
  const isCurrent = checked === draft;
  const run = () => {
    setChecked(draft);
    send.reset();
    return check.run();
  };
  return (
    <Stack gap="sm">
      {problem !== undefined && (
        <Text size="sm" c="dimmed" ta="center" role="status">
          {problem}
        </Text>
      )}
      <Group grow gap="xs">
        <ActionButton
          variant="default"
          leftSection={<IconChecks size={16} />}
          disabled={problem !== undefined}
          onAct={run}
        >
          {WORDS.check}
        </ActionButton>
        <ConfirmButton
          variant="filled"
          color="signal"
          leftSection={<IconSend size={16} />}
          disabled={problem !== undefined}
          question={questionOf(messages)}
          consequence={<Consequence cost={messages.cost} sendAt={sendAt} failure={send.error} />}
          verb={`Send ${messages.count.toLocaleString()}`}
          returnsFocus={!isRefused}
          onConfirm={onSend}
        >
          {WORDS.send}
        </ConfirmButton>
      </Group>
      <Group justify="center">
        <AsCurl call={() => ({ method: 'POST', path, body: body() })} />
      </Group>
      <FailureAlert failure={isRefused ? (send.error ?? check.error) : null} listsDetails />
      <FailureAlert failure={isCurrent && !isRefused ? check.error : null} listsDetails />
      {isCurrent && result !== undefined && !check.error && (
        <Alert color="teal" title={WORDS.checked} role="status">
          {result}
        </Alert>
      )}
    </Stack>
  );
}

function questionOf({ count, recipient }: PlannedMessages): string {
  const messages = counted(count, 'message');
  return count === 1 ? `Send ${messages} to ${recipient}?` : `Send ${messages}?`;
}

interface ConsequenceProps extends Pick<SendButtonsProps, 'sendAt'>, Pick<PlannedMessages, 'cost'> {
  failure: ApiFailure | null;
}

function Consequence({ cost, sendAt, failure }: ConsequenceProps): ReactNode {
  return (
    <Stack gap="xs">
      {cost !== undefined && <div>{cost}</div>}
      <div>
        {sendAt === undefined ? (
          'Sending begins immediately. Messages that a gateway has taken cannot be cancelled.'
        ) : (
          <>
            Sending begins at <Time at={sendAt} as="full" />. Until then the send can be cancelled.
          </>
        )}
      </div>
      <FailureAlert
        failure={failure}
        listsDetails
        note={failure && (failure.isOffline || failure.status >= 500) ? WORDS.repeat : undefined}
      />
    </Stack>
  );
}
