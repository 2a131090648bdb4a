import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Cancellation, cancelMessages } from '@signalbox/client';
import { type ReactNode, useMemo } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { FailureText } from '../../parts/error-state.tsx';
import { counted } from '../../parts/counted.ts';
import { type MessageSearch, cancelFilterOf } from './search.ts';
import { WORDS } from './words.ts';

type Filter = NonNullable<ReturnType<typeof cancelFilterOf>>;
type Answered = ClientResult<{ data: Cancellation; message: string }>;

/** A button that cancels the pending messages of a filter, after it has shown their number. */
export function CancelMatching({ search }: { search: MessageSearch }): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const filter = useMemo(() => cancelFilterOf(search, Date.now()), [search]);
  if (!filter) return null;
  return (
    <>
      <Button variant="default" onClick={open}>
        {WORDS.cancelMatching}
      </Button>
      <Modal opened={isOpen} onClose={close} title={WORDS.cancelQuestion} centered>
        {isOpen && <Decision filter={filter} onDone={close} />}
      </Modal>
    </>
  );
}

function Decision({ filter, onDone }: { filter: Filter; onDone: () => void }): ReactNode {
  const { data, error } = useAnswer(['messages', 'cancellation', JSON.stringify(filter)], (signal) => {
    return cancelMessages({ body: { filter, dryRun: true }, signal }) as Answered;
  });
  const cancel = useAct(() => cancelMessages({ body: { filter } }) as Answered, {
    changes: ['messages', 'sends'],
    done: ({ message }) => message,
  });
  if (error) return <FailureText failure={error} />;
  if (!data) return <Loader aria-label="Loading" />;
  return (
    <Stack>
      <Text>
        {`${counted(data.total, 'pending message')} in ${counted(data.sends, 'send')} ${data.total === 1 ? 'matches' : 'match'}. ${WORDS.cancelConsequence}`}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          Keep them
        </Button>
        <Button
          color="red"
          disabled={data.total === 0}
          loading={cancel.isPending}
          onClick={() => cancel.mutate(undefined, { onSuccess: onDone })}
        >
          {`Cancel ${data.total.toLocaleString()}`}
        </Button>
      </Group>
    </Stack>
  );
}
