import { Stack, TextInput } from '@mantine/core';
import { type OrphanReport, assignOrphanReport } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { WORDS } from './words.ts';

/** Gives a report to a message, or an inbound SMS to an account. */
export function AssignButton({ orphan }: { orphan: OrphanReport }): ReactNode {
  return (
    <DialogButton label={WORDS.assign} title={WORDS.assignTitle[orphan.kind]} size="xs" variant="default">
      {(close) => <AssignForm orphan={orphan} onDone={close} />}
    </DialogButton>
  );
}

function AssignForm({
  orphan: { id, kind },
  onDone,
}: {
  orphan: OrphanReport;
  onDone: () => void;
}): ReactNode {
  const [given, setGiven] = useState('');
  const field = kind === 'report' ? 'messageId' : 'accountId';
  const assign = useAct(() => assignOrphanReport({ path: { id }, body: { [field]: given.trim() } }), {
    changes: ['orphan-reports', 'messages'],
    done: WORDS.assigned,
    showsFailure: false,
  });
  return (
    <Form onSubmit={() => assign.mutateAsync(undefined, { onSuccess: onDone })}>
      <Stack>
        <TextInput
          label={WORDS[field]}
          description={WORDS[`${field}Hint`]}
          required
          value={given}
          onChange={onText((value) => {
            setGiven(value);
            assign.reset();
          })}
          error={assign.error && (assign.error.about(field) ?? assign.error.message)}
        />
        <SubmitButton disabled={given.trim() === ''}>{WORDS.assign}</SubmitButton>
      </Stack>
    </Form>
  );
}
