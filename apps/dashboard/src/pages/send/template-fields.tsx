import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type SmsTemplate, listSmsTemplates } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useList } from '../../api/use-list.ts';
import { onText } from '../../parts/on-text.ts';
import { useChoices } from '../../parts/use-choices.ts';
import { ReadFailure } from '../../parts/read-failure.tsx';
import type { ChangeDraft, SmsDraft, ValueSource } from './sms-draft.ts';
import { WORDS } from './words.ts';

interface TemplateProps {
  draft: SmsDraft;
  change: ChangeDraft;
}

/** The change that chooses a template, with empty values. */
export function withTemplate(template: SmsTemplate | undefined): Partial<SmsDraft> {
  return {
    template,
    values: Array.from({ length: template?.variables ?? 0 }, () => ({ text: '' })),
    ...(template?.type && { type: template.type as SmsDraft['type'] }),
  };
}

/** The template of an SMS and its values; a value is the same for all, or a column of the file. */
export function TemplateFields({ draft, change }: TemplateProps): ReactNode {
  const list = useList(
    ['sms-templates', 'names'],
    (cursor, signal) =>
      listSmsTemplates({ query: { limit: 200, ...(cursor !== undefined && { cursor }) }, signal }),
    { isWhole: true },
  );
  const { rows, readAll } = useChoices(list, draft.template);
  return (
    <Stack gap="sm">
      <Select
        label={WORDS.template}
        placeholder={WORDS.noTemplate}
        data={rows.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.template?.id ?? null}
        searchable
        clearable
        onDropdownOpen={readAll}
        onChange={(id) => change(withTemplate(rows.find((template) => template.id === id)))}
      />
      {/* also when none could be read: the field has no other place for it */}
      <ReadFailure list={{ ...list, unread: null }} />
      {draft.template && <Values draft={draft} change={change} />}
    </Stack>
  );
}

function Values({ draft, change }: TemplateProps): ReactNode {
  const { template, values, file } = draft;
  const set = (at: number, value: ValueSource) =>
    change({ values: values.map((before, i) => (i === at ? value : before)) });
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {template?.text}
      </Text>
      {values.map((value, i) => (
        <Group key={`value ${i + 1}`} gap="xs" align="flex-end" wrap="nowrap">
          {'text' in value && (
            <TextInput
              flex={1}
              label={`Value ${i + 1}`}
              value={value.text}
              onChange={onText((text) => set(i, { text }))}
            />
          )}
          {file && (
            <Select
              flex={1}
              label={'text' in value ? WORDS.fromColumn : `Value ${i + 1}`}
              placeholder="The same for all"
              clearable
              data={file.columns.map((column, at) => ({ value: String(at), label: column }))}
              value={'column' in value ? String(value.column) : null}
              onChange={(column) => set(i, column === null ? { text: '' } : { column: Number(column) })}
            />
          )}
        </Group>
      ))}
    </Stack>
  );
}
