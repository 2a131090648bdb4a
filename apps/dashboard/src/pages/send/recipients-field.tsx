import { Alert, Button, Checkbox, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconFileSpreadsheet, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CsvButton } from '../../parts/csv-button.tsx';
import { onText } from '../../parts/on-text.ts';
import { readCsvFile } from '../../parts/recipients/read-csv-file.ts';
import { MAX_RECIPIENTS, type RecipientFile, type Recipients } from '../../parts/recipients/recipients.ts';
import { counted } from '../../parts/counted.ts';
import { type ChangeDraft, type SmsDraft, chosenOf } from './sms-draft.ts';
import { WORDS } from './words.ts';

const SHOWN = 10;

interface RecipientsProps {
  draft: SmsDraft;
  recipients: Recipients;
  change: ChangeDraft;
}

/** Recipients: typed or pasted, or a column of a CSV file. */
export function RecipientsField({
  draft,
  recipients,
  change,
  error,
}: RecipientsProps & { error: string | undefined }): ReactNode {
  const { file } = draft;
  return (
    <Stack gap="sm">
      {file ? (
        <FileFields file={file} change={change} />
      ) : (
        <Textarea
          label={WORDS.recipients}
          description={WORDS.recipientsHelp}
          placeholder="919812345678"
          autosize
          minRows={3}
          maxRows={10}
          value={draft.typed}
          error={error}
          onChange={onText((typed) => change({ typed }))}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      )}
      <Group justify="space-between">
        <Count count={chosenOf(recipients, draft).length} />
        {!file && <Upload change={change} />}
      </Group>
      <Repeated draft={draft} recipients={recipients} change={change} />
      <Bad draft={draft} recipients={recipients} change={change} />
    </Stack>
  );
}

function Count({ count }: { count: number }): ReactNode {
  const isTooMany = count > MAX_RECIPIENTS;
  return (
    <Text size="sm" fw={600} c={isTooMany ? 'red' : undefined!} aria-live="polite">
      {counted(count, 'recipient')}
      {isTooMany && `, at most ${MAX_RECIPIENTS.toLocaleString()}`}
    </Text>
  );
}

function Upload({ change }: { change: ChangeDraft }): ReactNode {
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | null) => {
    if (!file) return;
    const result = await readCsvFile(file);
    if ('problem' in result) return setProblem(result.problem);
    setProblem(undefined);
    change({ file: result });
  };
  return (
    <Group gap="xs">
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      <CsvButton label={WORDS.upload} onFile={(file) => void read(file)} />
    </Group>
  );
}

function FileFields({ file, change }: { file: RecipientFile; change: ChangeDraft }): ReactNode {
  const remove = () => change({ file: undefined, values: [] });
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Group gap={6} wrap="nowrap" miw={0}>
          <IconFileSpreadsheet size={18} style={{ flex: 'none' }} />
          <Text fw={600} truncate>
            {file.name}
          </Text>
          <Text size="sm" c="dimmed" style={{ flex: 'none' }}>
            {counted(file.rows.length, 'row')}
          </Text>
        </Group>
        <Button variant="subtle" size="xs" leftSection={<IconX size={14} />} onClick={remove}>
          {WORDS.removeFile}
        </Button>
      </Group>
      <Select
        label={WORDS.numberColumn}
        data={file.columns.map((column, i) => ({ value: String(i), label: column }))}
        value={String(file.numberColumn)}
        allowDeselect={false}
        onChange={(column) => change({ file: { ...file, numberColumn: Number(column) } })}
        maw={320}
      />
    </Stack>
  );
}

function Repeated({ draft, recipients, change }: RecipientsProps): ReactNode {
  const { repeated } = recipients;
  if (repeated.length === 0) return null;
  return (
    <Alert color="yellow">
      <Text size="sm" fw={600}>
        {`${counted(repeated.length, 'number is', 'numbers are')} repeated`}
      </Text>
      <Text size="sm" ff="monospace" mb="xs">
        {listed(repeated)}
      </Text>
      <Checkbox
        label={WORDS.once}
        checked={draft.sendsOnce}
        onChange={(event) => change({ sendsOnce: event.currentTarget.checked })}
      />
    </Alert>
  );
}

function Bad({ draft, recipients: { bad }, change }: RecipientsProps): ReactNode {
  if (bad.length === 0) return null;
  const named = bad.map(
    ({ place, text }) => `${draft.file ? 'row' : 'entry'} ${place}: ${text.slice(0, 40)}`,
  );
  return (
    <Alert color="red">
      <Text size="sm" fw={600}>
        {`${counted(bad.length, 'entry is no number', 'entries are no numbers')} with a country code`}
      </Text>
      <Text size="sm" ff="monospace" mb="xs" style={{ overflowWrap: 'anywhere' }}>
        {listed(named)}
      </Text>
      <Checkbox
        label={WORDS.leaveOut}
        checked={draft.leavesOutBad}
        onChange={(event) => change({ leavesOutBad: event.currentTarget.checked })}
      />
    </Alert>
  );
}

function listed(entries: readonly string[]): string {
  const rest = entries.length - SHOWN;
  return entries.slice(0, SHOWN).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString()} more` : '');
}
