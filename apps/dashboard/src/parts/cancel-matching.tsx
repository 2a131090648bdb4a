import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import {
  type CancelFilter,
  type Cancellation,
  cancelMessages,
  getCancellation,
  stopCancellation,
} from '@signalbox/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useAct } from '../api/use-act.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useMay } from '../app/use-session.ts';
import { ActionButton } from './action-button.tsx';
import { counted } from './counted.ts';
import { DialogButton } from './dialog-button.tsx';
import { FailureText } from './error-state.tsx';

const WORDS = {
  button: 'Cancel what matches',
  question: 'Cancel the pending messages of all sends that match?',
  consequence: 'Messages that no gateway has yet fail with errCode 902. This cannot be undone.',
  verb: 'Cancel them',
} as const;

/**
 * Cancels the pending messages of all sends that match a filter: counts them first, then shows the progress. Nothing
 * without a filter, and for those who may not send.
 */
export function CancelMatching({ filter }: { filter: CancelFilter | undefined }): ReactNode {
  const maySend = useMay('send');
  if (!filter || !maySend) return null;
  return (
    <DialogButton label={WORDS.button} title={WORDS.question} variant="default">
      {(close) => <Cancelling filter={filter} onLeave={close} />}
    </DialogButton>
  );
}

function Cancelling({ filter, onLeave }: { filter: CancelFilter; onLeave: () => void }): ReactNode {
  const [id, setId] = useState<string | null>(null);
  if (id !== null) return <Running id={id} />;
  return <Question filter={filter} onStart={setId} onLeave={onLeave} />;
}

interface QuestionProps {
  filter: CancelFilter;
  onStart: (id: string) => void;
  onLeave: () => void;
}

function Question({ filter, onStart, onLeave }: QuestionProps): ReactNode {
  const preview = useAnswer(['cancellations', 'preview', filter], (signal) =>
    cancelMessages({ body: { filter, dryRun: true }, signal }),
  );
  const start = useAct((_: void, headers) => cancelMessages({ body: { filter }, headers }), {
    changes: ['sends', 'messages'],
  });
  if (preview.error) return <FailureText failure={preview.error} />;
  const count = preview.data?.total;
  return (
    <Stack>
      <Text aria-live="polite">
        {count === undefined
          ? 'Counting…'
          : `${counted(count, 'pending message')} of ${counted(preview.data!.sends, 'send')} ${count === 1 ? 'matches' : 'match'}.`}
      </Text>
      <Text>{WORDS.consequence}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onLeave}>
          Keep them
        </Button>
        <ActionButton
          color="red"
          disabled={!count}
          onAct={async () => onStart((await start.mutateAsync()).data.id!)}
        >
          {WORDS.verb}
        </ActionButton>
      </Group>
    </Stack>
  );
}

function Running({ id }: { id: string }): ReactNode {
  const queries = useQueryClient();
  const [isRunning, setRunning] = useState(true);
  const progress = useAnswer(
    ['cancellations', id],
    (signal) => getCancellation({ path: { cancellationId: id }, signal }),
    { refetchInterval: isRunning && 500 },
  );
  const stop = useAct(() => stopCancellation({ path: { cancellationId: id } }), {
    changes: ['cancellations', 'sends', 'messages'],
  });
  const status = progress.data?.status;
  useEffect(() => {
    if (status !== 'done' && status !== 'stopped') return;
    setRunning(false);
    for (const area of ['sends', 'messages']) void queries.invalidateQueries({ queryKey: [area] });
  }, [status, queries]);
  if (progress.error) return <FailureText failure={progress.error} />;
  return <Outcome cancellation={progress.data} onStop={() => stop.mutateAsync()} />;
}

function Outcome(props: {
  cancellation: Cancellation | undefined;
  onStop: () => Promise<unknown>;
}): ReactNode {
  const { cancellation, onStop } = props;
  const { status = 'running', cancelled = 0, examined = 0, total = 0 } = cancellation ?? {};
  const isRunning = status === 'running';
  return (
    <Stack>
      <Progress
        value={isRunning ? Math.min(99, (100 * cancelled) / Math.max(total, 1)) : 100}
        animated={isRunning}
        aria-label="Progress of the cancellation"
      />
      <Alert color={isRunning ? 'blue' : 'teal'} role="status">
        {`${counted(cancelled, 'message')} cancelled, ${counted(examined, 'send')} examined.`}
      </Alert>
      {isRunning && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            You can leave: it goes on.
          </Text>
          <ActionButton variant="default" onAct={onStop}>
            Stop
          </ActionButton>
        </Group>
      )}
    </Stack>
  );
}
