import { Alert, Button, Group, Mark, Stack, Switch, Text, TextInput, Textarea } from '@mantine/core';
import { countParts, firstUnicode } from '@signalbox/domain/sms/parts';
import { IconLink } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { counted } from '../../parts/counted.ts';
import { onText } from '../../parts/on-text.ts';
import type { Recipients } from '../../parts/recipients/recipients.ts';
import { type ChangeDraft, type SmsDraft, chosenOf, linksOf, previewOf, unfilledOf } from './sms-draft.ts';
import { WORDS } from './words.ts';

interface TextProps {
  draft: SmsDraft;
  change: ChangeDraft;
}

interface ErrorProps extends TextProps {
  /** Sentence about the text. */
  error: string | undefined;
}

/** The text with its encoding, the addresses of its links, and how phones show it. */
export function TextFields({
  draft,
  recipients,
  change,
  error,
}: ErrorProps & { recipients: Recipients }): ReactNode {
  return (
    <Stack gap="sm">
      {!draft.template && <TextInputWithLinks draft={draft} change={change} error={error} />}
      <Encoding draft={draft} row={chosenOf(recipients, draft)[0]?.row ?? 0} />
      <Links draft={draft} change={change} />
      <Group gap="lg">
        <Switch
          label={WORDS.unicode}
          checked={draft.isUnicode}
          onChange={(event) => change({ isUnicode: event.currentTarget.checked })}
        />
        <Switch
          label={WORDS.flash}
          checked={draft.isFlash}
          onChange={(event) => change({ isFlash: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  );
}

function TextInputWithLinks({ draft, change, error }: ErrorProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const unfilled = unfilledOf(draft);
  const insert = () => {
    const at = field.current?.selectionStart ?? draft.text.length;
    const link = linksOf(draft) === 0 ? '{{shortUrl}}' : `{{shortUrl${linksOf(draft) + 1}}}`;
    change({ text: draft.text.slice(0, at) + link + draft.text.slice(at) });
    field.current?.focus();
  };
  return (
    <div>
      <Textarea
        ref={field}
        label={WORDS.text}
        autosize
        minRows={3}
        maxRows={12}
        value={draft.text}
        error={error}
        onChange={onText((text) => change({ text }))}
      />
      {draft.type === 'TRANS' && (
        <Button
          variant="subtle"
          size="compact-xs"
          mt={4}
          leftSection={<IconLink size={13} />}
          onClick={insert}
        >
          {WORDS.link}
        </Button>
      )}
      {unfilled !== undefined && (
        <Alert color="yellow" mt="xs" role="status">
          {WORDS.unfilled(unfilled)}
        </Alert>
      )}
    </div>
  );
}

/** Encoding and segments of the text of the first recipient, and the character that forces UCS-2. */
function Encoding({ draft, row }: { draft: SmsDraft; row: number }): ReactNode {
  const text = previewOf(draft, row, window.location.origin);
  const { encoding, parts } = countParts(text, draft.isUnicode);
  const forcing = draft.isUnicode ? undefined : firstUnicode(text);
  return (
    <Text size="sm" c="dimmed" aria-live="polite" data-testid="encoding" style={{ minHeight: '1lh' }}>
      {text !== '' &&
        `${counted([...text].length, 'character')} · ${encoding} · ${counted(parts, 'segment')}`}
      {parts > 10 && ' · at most 10'}
      {forcing && (
        <>
          {' · '}
          <Mark>{forcing.character}</Mark>
          {` at ${forcing.position} is not in GSM-7, so a segment has 70 characters instead of 160`}
        </>
      )}
    </Text>
  );
}

function Links({ draft, change }: TextProps): ReactNode {
  const count = linksOf(draft);
  if (count === 0) return null;
  const set = (at: number, url: string) =>
    change({ links: Array.from({ length: count }, (_, i) => (i === at ? url : (draft.links[i] ?? ''))) });
  return (
    <Stack gap="xs">
      {Array.from({ length: count }, (_, i) => (
        <TextInput
          key={`link ${i + 1}`}
          label={count === 1 ? WORDS.linkTarget : `${WORDS.linkTarget} ${i + 1}`}
          type="url"
          placeholder="https://example.com/orders"
          value={draft.links[i] ?? ''}
          onChange={onText((value) => set(i, value))}
        />
      ))}
      <Switch
        label={WORDS.shorten}
        checked={draft.shortens}
        onChange={(event) => change({ shortens: event.currentTarget.checked })}
      />
    </Stack>
  );
}
