import { Button, Textarea } from '@mantine/core';
import { type ChatTemplate, reviewChatTemplate } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { WORDS } from './words.ts';

const { review: WORD } = WORDS;
type Decision = 'approve' | 'reject' | 'pause' | 'resume';

/** The decisions that the status of a template allows. A provider that has the template decides by itself. */
export function ReviewButtons({ template }: { template: ChatTemplate }): ReactNode {
  const { id, name, status, registration } = template;
  const mayReview = useMay('manage');
  const [reason, setReason] = useState('');
  const decide = useAct(
    (decision: Decision) =>
      reviewChatTemplate({ body: { id, decision, ...(decision === 'reject' && { reason }) } }),
    { changes: ['templates', 'template', 'template-history'], done: WORD.done },
  );
  const act = (decision: Decision) => decide.mutateAsync(decision);
  if (!mayReview || registration) return null;
  if (status === 'Approved')
    return (
      <ConfirmButton
        color="yellow"
        question={WORD.pauseQuestion(name)}
        consequence={WORD.pauseText}
        onConfirm={() => act('pause')}
      >
        {WORD.pause}
      </ConfirmButton>
    );
  if (status === 'Paused')
    return <DecisionButton verb={WORD.resume} onClick={() => decide.mutate('resume')} />;
  if (status !== 'Pending') return null;
  return (
    <>
      <DecisionButton verb={WORD.approve} onClick={() => decide.mutate('approve')} />
      <ConfirmButton
        question={WORD.rejectQuestion(name)}
        consequence={WORD.rejectText}
        isReady={reason.trim() !== ''}
        fields={
          <Textarea
            label={WORD.reason}
            required
            maxLength={1024}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        }
        onConfirm={() => act('reject')}
      >
        {WORD.reject}
      </ConfirmButton>
    </>
  );
}

function DecisionButton({ verb, onClick }: { verb: string; onClick: () => void }): ReactNode {
  return (
    <Button variant="default" onClick={onClick}>
      {verb}
    </Button>
  );
}
