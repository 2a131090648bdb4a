import { Select, Stack, Text, TextInput } from '@mantine/core';
import type { ChatTemplate } from '@signalbox/client';
import type { ReactNode } from 'react';
import { onText } from '../../parts/on-text.ts';
import { useChoices } from '../../parts/use-choices.ts';
import { useApprovedTemplates } from '../templates/use-approved-templates.ts';
import { type ChangeChat, type ChatDraft, compiledOf } from './chat-draft.ts';
import { WORDS } from './words.ts';

interface TemplateProps {
  draft: ChatDraft;
  change: ChangeChat;
  chatAccountId: number | undefined;
}

/** An approved template of the sender's chat account, and its values. */
export function ChatTemplateFields({ draft, change, chatAccountId }: TemplateProps): ReactNode {
  const list = useApprovedTemplates(chatAccountId);
  const { rows, readAll } = useChoices(list, draft.template);
  return (
    <Stack gap="sm">
      <Select
        label={WORDS.template}
        placeholder={WORDS.chooseTemplate}
        searchable
        nothingFoundMessage="No approved template"
        error={list.failure?.message}
        data={rows.map(({ id, name, language }) => ({ value: id, label: `${name} · ${language}` }))}
        value={draft.template?.id ?? null}
        onDropdownOpen={readAll}
        onChange={(id) => change({ template: rows.find((row) => row.id === id), params: [], header: '' })}
      />
      {draft.template && <Values draft={draft} change={change} template={draft.template} />}
    </Stack>
  );
}

interface ValuesProps {
  draft: ChatDraft;
  change: ChangeChat;
  template: ChatTemplate;
}

function Values({ draft, change, template }: ValuesProps): ReactNode {
  const { paramCount, carriesCode, header } = compiledOf(template);
  const set = (at: number, value: string) =>
    change({
      params: Array.from({ length: paramCount }, (_, i) => (i === at ? value : (draft.params[i] ?? ''))),
    });
  const isFilled = header && (header.type !== 'text' || header.isFilled);
  return (
    <Stack gap="xs">
      {isFilled && (
        <TextInput
          label={header.type === 'text' ? WORDS.headerText : `${WORDS.headerLink} (${header.type})`}
          value={draft.header}
          onChange={onText((value) => change({ header: value }))}
        />
      )}
      {header?.type === 'document' && (
        <TextInput
          label={WORDS.filename}
          value={draft.filename}
          onChange={onText((filename) => change({ filename }))}
        />
      )}
      {Array.from({ length: paramCount }, (_, i) => (
        <TextInput
          key={`value ${i + 1}`}
          label={`Value {{${i + 1}}}`}
          value={draft.params[i] ?? ''}
          onChange={onText((value) => set(i, value))}
        />
      ))}
      {carriesCode && (
        <TextInput
          label={WORDS.otp}
          maxLength={15}
          value={draft.otp}
          onChange={onText((otp) => change({ otp }))}
        />
      )}
      {paramCount === 0 && !carriesCode && !isFilled && (
        <Text size="sm" c="dimmed">
          This template has no values.
        </Text>
      )}
    </Stack>
  );
}
