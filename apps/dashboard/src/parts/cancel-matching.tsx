import { Alert, Button, Group, Modal, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Cancellation, cancelMessages, getCancellation, stopCancellation } from '@signalbox/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { FailureText } from '../../parts/error-state.tsx';
import type { SendSearch } from './search.ts';
import { WORDS } from './words.ts';

/** Cancels the pending messages of all sends that match the filters: counts first, then shows the progress. */
export function CancelMatching({ search }: { search: SendSearch }): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [id, setId] = useState<string | null>(null);
  const hasFilter = Object.keys(search).length > 0;
  const button = (
    <Button variant="default" disabled={!hasFilter} onClick={open}>
      {WORDS.cancelAll}
    </Button>
  );
  return (
    <>
      {hasFilter ? (
        button
      ) : (
        <Tooltip label={WORDS.cancelNeedsFilter}>
          <span>{button}</span>
        </Tooltip>
      )}
      <Modal
        opened={isOpen}
        onClose={() => {
          close();
          setId(null);
        }}
        title={WORDS.cancelQuestion}
        centered
      >
        {id === null ? <Question search={search} onStart={setId} onLeave={close} /> : <Running id={id} />}
      </Modal>
    </>
  );
}

interface QuestionProps {
  search: SendSearch;
  onStart: (id: string) => void;
  onLeave: () => void;
}

function Question({ search, onStart, onLeave }: QuestionProps): ReactNode {
  const preview = useAnswer(['cancellations', 'preview', search], (signal) =>
    cancelMessages({ body: { filter: search, dryRun: true }, signal }),
  );
  const start = useAct(() => cancelMessages({ body: { filter: search } }), { changes: ['sends'] });
  if (preview.error) return <FailureText failure={preview.error} />;
  const count = preview.data?.total;
  return (
    <Stack>
      <Text aria-live="polite">
        {count === undefined
          ? 'Counting…'
          : `${count.toLocaleString()} pending messages of ${preview.data!.sends.toLocaleString()} sends match.`}
      </Text>
      <Text>{WORDS.cancelConsequence}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onLeave} data-autofocus>
          Keep them
        </Button>
        <Button
          color="red"
          disabled={!count}
          loading={start.isPending}
          onClick={() => start.mutate(undefined, { onSuccess: ({ data }) => onStart(data.id!) })}
        >
          {WORDS.cancelVerb}
        </Button>
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
    changes: ['cancellations', 'sends'],
  });
  const status = progress.data?.status;
  useEffect(() => {
    if (status !== 'done' && status !== 'stopped') return;
    setRunning(false);
    void queries.invalidateQueries({ queryKey: ['sends'] });
  }, [status, queries]);
  if (progress.error) return <FailureText failure={progress.error} />;
  return <Outcome cancellation={progress.data} onStop={() => stop.mutate()} />;
}

function Outcome(props: { cancellation: Cancellation | undefined; onStop: () => void }): ReactNode {
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
        {`${cancelled.toLocaleString()} messages cancelled, ${examined.toLocaleString()} sends examined.`}
      </Alert>
      {isRunning && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            You can leave: it goes on.
          </Text>
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        </Group>
      )}
    </Stack>
  );
}
