import { type Queue, cleanQueue, drainQueue, pauseQueue, resumeQueue, retryJobs } from '@signalbox/client';
import type { ReactNode } from 'react';
import { type ClientResult, answerOf } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { counted } from '../../parts/counted.ts';
import { SwitchButton } from '../../parts/switch-button.tsx';
import { useSteps } from '../../parts/use-steps.tsx';

/** Jobs of one call. */
const STEP = 2_000;

const message = (body: { message: string }): string => body.message;
const options = { changes: ['queues'], done: message };

/** Pause, resume, retry and removal of the jobs of a queue; each removal asks with the count. */
export function QueueActions({ queue }: { queue: Queue }): ReactNode {
  const { waiting, failed } = queue;
  return (
    <>
      {failed > 0 && <FailedJobs queue={queue} />}
      {waiting > 0 && <Drain queue={queue} />}
      <PauseSwitch queue={queue} />
    </>
  );
}

/** Begins an act on jobs of a queue that takes several calls. */
function useJobSteps() {
  const begin = useSteps();
  return (label: string, total: number, call: () => ClientResult<{ data: { jobs: number } }>) =>
    begin({
      label,
      total,
      changes: ['queues'],
      step: async () => (await answerOf(call())).data.jobs || undefined,
    });
}

function FailedJobs({ queue: { name, failed } }: { queue: Queue }): ReactNode {
  const begin = useJobSteps();
  const path = { name };
  const retry = () =>
    begin(`Retrying jobs of ${name}`, failed, () => retryJobs({ path, body: { limit: STEP } }));
  const clean = () => {
    void begin(`Removing failed jobs of ${name}`, failed, () =>
      cleanQueue({ path, body: { state: 'failed', limit: STEP } }),
    );
  };
  return (
    <>
      <ActionButton variant="default" onAct={retry}>
        Retry {failed.toLocaleString()} failed
      </ActionButton>
      <ConfirmButton
        question={`Remove ${counted(failed, 'failed job')}?`}
        consequence="Their rows stay, and are enqueued again where they are still open."
        onConfirm={clean}
      >
        Remove failed
      </ConfirmButton>
    </>
  );
}

function Drain({ queue: { name, waiting } }: { queue: Queue }): ReactNode {
  const begin = useJobSteps();
  const drain = () => {
    const path = { name };
    void begin(`Removing jobs of ${name}`, waiting, () => drainQueue({ path, body: { limit: STEP } }));
  };
  return (
    <ConfirmButton
      question={`Remove ${counted(waiting, 'waiting job')}?`}
      consequence="Nothing is lost: their rows get new jobs within seconds."
      onConfirm={drain}
    >
      Drain
    </ConfirmButton>
  );
}

function PauseSwitch({ queue: { name, paused } }: { queue: Queue }): ReactNode {
  const path = { name };
  const pause = useAct(() => pauseQueue({ path }), options);
  const resume = useAct(() => resumeQueue({ path }), options);
  return (
    <SwitchButton
      variant="filled"
      color="yellow"
      isOn={!paused}
      verbs={{ on: 'Resume', off: 'Pause' }}
      question={`Pause ${name}?`}
      consequence="Workers take none of its jobs until you resume it. Messages that expire meanwhile fail."
      verb="Pause the queue"
      onTurnOn={() => resume.mutateAsync()}
      onTurnOff={() => pause.mutateAsync()}
    />
  );
}
