import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { type Queue, cleanQueue, drainQueue, pauseQueue, resumeQueue, retryJobs } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { counted } from '../../parts/counted.ts';

const message = (body: { message: string }): string => body.message;
const options = { changes: ['queues'], done: message };

/** Pause, resume, retry and removal of the jobs of a queue; each removal asks with the count. */
export function QueueActions({ queue: { name, paused, waiting, failed } }: { queue: Queue }): ReactNode {
  const path = { name };
  const resume = useAct(() => resumeQueue({ path }), options);
  const retry = useAct(() => retryJobs({ path, body: {} }), options);
  const drain = useAct(() => drainQueue({ path, body: {} }), options);
  const clean = useAct(() => cleanQueue({ path, body: { state: 'failed' } }), options);
  return (
    <>
      {failed > 0 && (
        <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          Retry {failed.toLocaleString()} failed
        </Button>
      )}
      {failed > 0 && (
        <ConfirmButton
          question={`Remove ${counted(failed, 'failed job')}?`}
          consequence="Their rows stay, and are enqueued again where they are still open."
          onConfirm={() => clean.mutateAsync()}
        >
          Remove failed
        </ConfirmButton>
      )}
      {waiting > 0 && (
        <ConfirmButton
          question={`Remove ${counted(waiting, 'waiting job')}?`}
          consequence="Nothing is lost: their rows get new jobs within seconds."
          onConfirm={() => drain.mutateAsync()}
        >
          Drain
        </ConfirmButton>
      )}
      {paused ? (
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      ) : (
        <PauseButton name={name} />
      )}
    </>
  );
}

function PauseButton({ name }: { name: string }): ReactNode {
  const pause = useAct(() => pauseQueue({ path: { name } }), options);
  return (
    <ConfirmButton
      color="yellow"
      leftSection={<IconPlayerPause size={16} />}
      question={`Pause ${name}?`}
      consequence="Workers take none of its jobs until you resume it. Messages that expire meanwhile fail."
      verb="Pause the queue"
      onConfirm={() => pause.mutateAsync()}
    >
      Pause
    </ConfirmButton>
  );
}
