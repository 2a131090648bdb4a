import { Group, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type OptOutRequest, addOptOuts } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { counted } from '../../parts/counted.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { FileFields, FileUpload } from '../../parts/recipients/file-fields.tsx';
import { type RecipientFile, onceEach, recipientsOf } from '../../parts/recipients/recipients.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { useSteps } from '../../parts/use-steps.tsx';
import { WORDS } from './words.ts';

/** Most recipients of one request. */
const CHUNK = 1_000;

/** A button that opens the form for new opt-outs. */
export function AddOptOuts(): ReactNode {
  return (
    <DialogButton label={WORDS.add} leftSection={<IconPlus size={16} />}>
      {(close) => <OptOutForm onDone={close} />}
    </DialogButton>
  );
}

function OptOutForm({ onDone }: { onDone: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const [file, setFile] = useState<RecipientFile>();
  const [sender, setSender] = useState('');
  const [reason, setReason] = useState('');
  const { numbers, bad } = useNumbers(typed, file);
  const { add, failure } = useAdding(numbers, { sender, reason }, onDone);
  const { about, shown } = useFieldErrors(failure, { recipients: [typed, file?.name], sender, reason });
  const isChanged = file !== undefined || typed !== '' || sender !== '' || reason !== '';
  return (
    <Form isChanged={isChanged} onSubmit={add}>
      <Stack gap="sm">
        {file ? (
          <FileFields file={file} onChange={setFile} onRemove={() => setFile(undefined)} />
        ) : (
          <Textarea
            label={WORDS.numbers}
            description={WORDS.numbersHelp}
            autosize
            minRows={4}
            maxRows={10}
            value={typed}
            error={about('recipients')}
            onChange={onText(setTyped)}
          />
        )}
        <Group justify="space-between">
          <Count count={numbers.length} bad={bad} />
          {!file && <FileUpload onFile={setFile} />}
        </Group>
        <TextInput
          label={WORDS.sender}
          description={WORDS.senderHelp}
          value={sender}
          error={about('sender')}
          onChange={onText(setSender)}
        />
        <TextInput label={WORDS.reason} value={reason} error={about('reason')} onChange={onText(setReason)} />
        <FailureAlert failure={shown} />
        <Group justify="flex-end">
          <SubmitButton disabled={numbers.length === 0}>
            {`Add ${numbers.length.toLocaleString()}`}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function Count({ count, bad }: { count: number; bad: number }): ReactNode {
  return (
    <Text size="sm" aria-live="polite">
      {counted(count, 'number')}
      {bad > 0 && `; ${counted(bad, 'entry is no number and is', 'entries are no numbers and are')} left out`}
    </Text>
  );
}

function useNumbers(typed: string, file: RecipientFile | undefined): { numbers: string[]; bad: number } {
  return useMemo(() => {
    const { numbers, bad } = recipientsOf({ file, typed });
    return { numbers: onceEach(numbers).map(({ digits }) => digits), bad: bad.length };
  }, [typed, file]);
}

/**
 * Adds numbers in requests of 1,000. The form shows the refusal of the first and closes after it; the others show their
 * progress in a notification. Numbers that are added again renew their opt-outs.
 */
function useAdding(
  numbers: readonly string[],
  { sender, reason }: { sender: string; reason: string },
  onDone: () => void,
) {
  const begin = useSteps();
  const act = useAct((body: OptOutRequest, headers) => addOptOuts({ body, headers }), {
    changes: ['opt-outs'],
    showsFailure: false,
  });
  const addFrom = async (start: number): Promise<number> => {
    const recipients = numbers.slice(start, start + CHUNK);
    await act.mutateAsync({
      recipients,
      source: 'dashboard',
      ...(sender.trim() !== '' && { sender: sender.trim() }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    });
    return start + recipients.length;
  };
  const add = async () => {
    let done = await addFrom(0);
    const total = numbers.length;
    const step = async () => {
      const before = done;
      done = await addFrom(before);
      return done - before;
    };
    if (done < total) void begin({ label: WORDS.adding, total, done, step, changes: [] });
    else
      notifications.show({
        message: `${counted(total, 'opt-out was', 'opt-outs were')} added.`,
        color: 'teal',
      });
    onDone();
  };
  return { add, failure: act.error };
}
