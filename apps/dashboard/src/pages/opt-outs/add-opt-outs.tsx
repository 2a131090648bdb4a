import { Group, Progress, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { addOptOuts } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { answerOf } from '../../api/answer.ts';
import { ApiFailure } from '../../api/failure.ts';
import { useKey } from '../../api/use-key.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { readCsvFile } from '../../parts/recipients/read-csv-file.ts';
import {
  type RecipientFile,
  onceEach,
  readRecipients,
  splitEntries,
} from '../../parts/recipients/recipients.ts';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { counted } from '../../parts/counted.ts';
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
  const [problem, setProblem] = useState<string>();
  const [sender, setSender] = useState('');
  const [reason, setReason] = useState('');
  const { numbers, bad } = useNumbers(typed, file);
  const { add, done, failure } = useAdding(numbers, sender, reason, onDone);
  const read = async (chosen: File | null) => {
    if (!chosen) return;
    const result = await readCsvFile(chosen);
    if ('problem' in result) return setProblem(result.problem);
    setProblem(undefined);
    setFile(result);
  };
  const isChanged = file !== undefined || typed !== '' || sender !== '' || reason !== '';
  return (
    <Form isChanged={isChanged} onSubmit={add}>
      <Stack gap="sm">
        {file ? (
          <Text size="sm">{`${WORDS.file} ${file.name}, column ${file.columns[file.numberColumn]}`}</Text>
        ) : (
          <Textarea
            label={WORDS.numbers}
            description={WORDS.numbersHelp}
            error={problem}
            autosize
            minRows={4}
            maxRows={10}
            value={typed}
            onChange={onText(setTyped)}
          />
        )}
        <Count count={numbers.length} bad={bad} onFile={(chosen) => void read(chosen)} />
        <TextInput
          label={WORDS.sender}
          description={WORDS.senderHelp}
          value={sender}
          onChange={onText(setSender)}
        />
        <TextInput label={WORDS.reason} value={reason} onChange={onText(setReason)} />
        {done !== undefined && <Progress value={(done / numbers.length) * 100} aria-label={WORDS.add} />}
        <FailureAlert failure={failure} />
        <Group justify="flex-end">
          <SubmitButton disabled={numbers.length === 0}>
            {`Add ${numbers.length.toLocaleString()}`}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

interface CountProps {
  count: number;
  bad: number;
  onFile: (file: File | null) => void;
}

function Count({ count, bad, onFile }: CountProps): ReactNode {
  return (
    <Group justify="space-between">
      <Text size="sm" aria-live="polite">
        {counted(count, 'number')}
        {bad > 0 &&
          `; ${counted(bad, 'entry is no number and is', 'entries are no numbers and are')} left out`}
      </Text>
      <CsvButton label={WORDS.upload} onFile={onFile} />
    </Group>
  );
}

function useNumbers(typed: string, file: RecipientFile | undefined): { numbers: string[]; bad: number } {
  return useMemo(() => {
    const entries = file ? file.rows.map((row) => row[file.numberColumn] ?? '') : splitEntries(typed);
    const { numbers, bad } = readRecipients(entries);
    return { numbers: onceEach(numbers).map(({ digits }) => digits), bad: bad.length };
  }, [typed, file]);
}

/** Adds numbers in requests of 1,000. A repeat after a failure begins with the first; it renews the opt-outs made before. */
function useAdding(numbers: readonly string[], sender: string, reason: string, onDone: () => void) {
  const queries = useQueryClient();
  const [done, setDone] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  const keys = useKey();
  const add = async () => {
    setFailure(undefined);
    try {
      for (let at = 0; at < numbers.length; at += CHUNK) {
        setDone(at);
        const recipients = numbers.slice(at, at + CHUNK);
        const named = sender.trim() === '' ? {} : { sender: sender.trim() };
        const said = reason.trim() === '' ? {} : { reason: reason.trim() };
        const body = { recipients, source: 'dashboard' as const, ...named, ...said };
        await answerOf(addOptOuts({ body, headers: keys.headerOf(body) }));
        keys.end(body);
      }
      notifications.show({
        message: `${counted(numbers.length, 'opt-out was', 'opt-outs were')} added.`,
        color: 'teal',
      });
      onDone();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setFailure(error);
    } finally {
      setDone(undefined);
      await queries.invalidateQueries({ queryKey: ['opt-outs'] });
    }
  };
  return { add, done, failure };
}
