import { ActionIcon, Alert, Button, Group, Stack, TextInput, Textarea } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { onText } from '../../parts/on-text.ts';
import { type ChangeChat, type ChatDraft, MAX_TITLES, isFile } from './chat-draft.ts';
import { WORDS } from './words.ts';

interface SessionProps {
  draft: ChatDraft;
  change: ChangeChat;
}

/** The content of a message other than a template: text, a file, reply buttons, a list or a request for a location. */
export function SessionFields({ draft, change }: SessionProps): ReactNode {
  const { kind } = draft;
  const text = (name: 'body' | 'footer' | 'link' | 'caption' | 'filename' | 'listButton', label: string) => (
    <TextInput label={label} value={draft[name]} onChange={onText((value) => change({ [name]: value }))} />
  );
  return (
    <Stack gap="sm">
      <Alert color="blue">
        Chat apps take these messages for 24 hours after the recipient last wrote. At any other time send a
        template.
      </Alert>
      {isFile(kind) ? (
        text('link', WORDS.headerLink)
      ) : (
        <Textarea
          label={WORDS.body}
          autosize
          minRows={3}
          maxLength={1024}
          value={draft.body}
          onChange={onText((body) => change({ body }))}
        />
      )}
      {(kind === 'image' || kind === 'video') && text('caption', WORDS.caption)}
      {kind === 'document' && text('filename', WORDS.filename)}
      {kind === 'list' && text('listButton', WORDS.listButton)}
      {(kind === 'button' || kind === 'list') && (
        <>
          <Titles kind={kind} draft={draft} change={change} />
          {text('footer', WORDS.footer)}
        </>
      )}
    </Stack>
  );
}

function Titles({ kind, draft: { titles }, change }: SessionProps & { kind: 'button' | 'list' }): ReactNode {
  const name = kind === 'button' ? 'Button' : 'Row';
  return (
    <Stack gap="xs">
      {titles.slice(0, MAX_TITLES[kind]).map((title, i) => (
        <Group key={`title ${i + 1}`} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={`${name} ${i + 1}`}
            maxLength={kind === 'button' ? 20 : 24}
            value={title}
            onChange={onText((value) => change({ titles: titles.with(i, value) }))}
          />
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-label={`Remove ${name.toLowerCase()} ${i + 1}`}
            disabled={titles.length === 1}
            onClick={() => change({ titles: titles.toSpliced(i, 1) })}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      {titles.length < MAX_TITLES[kind] && (
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => change({ titles: [...titles, ''] })}
        >
          {kind === 'button' ? WORDS.addButton : WORDS.addRow}
        </Button>
      )}
    </Stack>
  );
}
