import { Alert, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { onText } from '../../parts/on-text.ts';
import { FileFields, FileUpload } from '../../parts/recipients/file-fields.tsx';
import { MAX_RECIPIENTS, type Recipients } from '../../parts/recipients/recipients.ts';
import { counted } from '../../parts/counted.ts';
import { type ChangeDraft, type SmsDraft, chosenOf, withoutFile } from './sms-draft.ts';
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
        <FileFields
          file={file}
          onChange={(changed) => change({ file: changed })}
          onRemove={() => change(withoutFile(draft))}
        />
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
        {!file && <FileUpload onFile={(chosen) => change({ file: chosen })} />}
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
