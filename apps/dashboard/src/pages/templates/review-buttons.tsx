import { Textarea } from '@mantine/core';
import { type ChatTemplate, reviewChatTemplate } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { onText } from '../../parts/on-text.ts';
import { WORDS } from './words.ts';

const { review: WORD } = WORDS;
type Given = { decision: 'approve' | 'pause' | 'resume' } | { decision: 'reject'; reason: string };

/** The decisions that the status of a template allows. A provider that has the template decides by itself. */
export function ReviewButtons({ template }: { template: ChatTemplate }): ReactNode {
  const { id, name, status, registration } = template;
  const mayReview = useMay('manage');
  const decide = useAct((given: Given) => reviewChatTemplate({ body: { id, ...given } }), {
    changes: ['templates', 'template', 'template-history'],
    done: ({ data }) => WORD.done[data.status],
  });
  if (!mayReview || registration) return null;
  if (status === 'Approved')
    return (
      <ConfirmButton
        color="yellow"
        question={WORD.pauseQuestion(name)}
        consequence={WORD.pauseText}
        onConfirm={() => decide.mutateAsync({ decision: 'pause' })}
      >
        {WORD.pause}
      </ConfirmButton>
    );
  if (status === 'Paused')
    return (
      <ActionButton variant="default" onAct={() => decide.mutateAsync({ decision: 'resume' })}>
        {WORD.resume}
      </ActionButton>
    );
  if (status !== 'Pending') return null;
  return (
    <>
      <ActionButton variant="default" onAct={() => decide.mutateAsync({ decision: 'approve' })}>
        {WORD.approve}
      </ActionButton>
      <RejectButton name={name} onReject={(reason) => decide.mutateAsync({ decision: 'reject', reason })} />
    </>
  );
}

interface RejectButtonProps {
  name: string;
  onReject: (reason: string) => Promise<unknown>;
}

function RejectButton({ name, onReject }: RejectButtonProps): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <ConfirmButton
      question={WORD.rejectQuestion(name)}
      consequence={WORD.rejectText}
      hasInput={reason !== ''}
      isReady={reason.trim() !== ''}
      fields={
        <Textarea
          label={WORD.reason}
          required
          maxLength={1024}
          autosize
          minRows={2}
          value={reason}
          onChange={onText(setReason)}
        />
      }
      onClose={() => setReason('')}
      onConfirm={() => onReject(reason)}
    >
      {WORD.reject}
    </ConfirmButton>
  );
}
