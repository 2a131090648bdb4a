import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { type Queue, cleanQueue, drainQueue, pauseQueue, resumeQueue, retryJobs } from '@signalbox/client';
import type { ReactNode } from 'react';
import { type ClientResult, answerOf } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { counted } from '../../parts/counted.ts';
import { useSteps } from '../../parts/use-steps.tsx';

/** Jobs of one call. */
const STEP = 2_000;

const message = (body: { message: string }): string => body.message;
const options = { changes: ['queues'], done: message };

/** Pause, resume, retry and removal of the jobs of a queue; each removal asks with the count. */
export function QueueActions({ queue: { name, paused, waiting, failed } }: { queue: Queue }): ReactNode {
  const path = { name };
  const resume = useAct(() => resumeQueue({ path }), options);
  const begin = useSteps();
  const act = (label: string, total: number, call: () => ClientResult<{ data: { jobs: number } }>) =>
    begin({ label, total, changes: ['queues'], step: async () => (await answerOf(call())).data.jobs });
  const retry = () =>
    act(`Retrying jobs of ${name}`, failed, () => retryJobs({ path, body: { limit: STEP } }));
  const drain = () =>
    act(`Removing jobs of ${name}`, waiting, () => drainQueue({ path, body: { limit: STEP } }));
  const clean = () =>
    act(`Removing failed jobs of ${name}`, failed, () =>
      cleanQueue({ path, body: { state: 'failed', limit: STEP } }),
    );
  return (
    <>
      {failed > 0 && (
        <Button variant="default" onClick={retry}>
          Retry {failed.toLocaleString()} failed
        </Button>
      )}
      {failed > 0 && (
        <ConfirmButton
          question={`Remove ${counted(failed, 'failed job')}?`}
          consequence="Their rows stay, and are enqueued again where they are still open."
          onConfirm={clean}
        >
          Remove failed
        </ConfirmButton>
      )}
      {waiting > 0 && (
        <ConfirmButton
          question={`Remove ${counted(waiting, 'waiting job')}?`}
          consequence="Nothing is lost: their rows get new jobs within seconds."
          onConfirm={drain}
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
