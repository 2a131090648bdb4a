import {
  ActionIcon,
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Textarea,
  Tooltip,
} from '@mantine/core';
import { placeholdersOf } from '@signalbox/domain/templates/placeholders';
import { MAX_BODY_LENGTH, MAX_FOOTER_LENGTH, MAX_HEADER_LENGTH } from '@signalbox/domain/templates/template';
import { IconBold, IconItalic, IconPlus, IconStrikethrough } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import { onText } from '../../parts/on-text.ts';
import { Section } from '../../parts/section.tsx';
import { type HeaderFormat, hasHeaderValue, numbersOf } from './draft.ts';
import type { SectionProps } from './fields.ts';
import { MediaUpload } from './media-upload.tsx';
import { pathOf } from './use-check.ts';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;
const FORMATS = (Object.keys(WORD.headerFormats) as HeaderFormat[]).map((value) => ({
  value,
  label: WORD.headerFormats[value],
}));
const CODE_FORMATS = FORMATS.filter(({ value }) => value === 'NONE' || value === 'TEXT');

/** The header: none, text, or an uploaded file. */
export function HeaderSection(fields: SectionProps): ReactNode {
  const { draft, set, about } = fields;
  const { headerFormat, headerText, headerHandle, category } = draft;
  const path = pathOf(draft, 'HEADER');
  return (
    <Section title={WORD.header}>
      <FormatChoice
        formats={category === 'AUTHENTICATION' ? CODE_FORMATS : FORMATS}
        value={headerFormat}
        onChange={(format) => set({ headerFormat: format, headerHandle: '' })}
      />
      {headerFormat === 'TEXT' && (
        <TextInput
          label={WORD.headerText}
          description={<Count text={headerText} max={MAX_HEADER_LENGTH} />}
          {...inputOf(fields, 'headerText', `${path}.text`)}
        />
      )}
      {hasHeaderValue(draft) && (
        <TextInput
          label={WORD.headerExample}
          {...inputOf(fields, 'headerExample', `${path}.example.header_text`)}
        />
      )}
      {headerFormat !== 'NONE' && headerFormat !== 'TEXT' && (
        <MediaUpload
          key={headerFormat}
          format={headerFormat}
          handle={headerHandle}
          onHandle={(handle) => set({ headerHandle: handle })}
          error={
            about(`${path}.example.header_handle`, headerHandle) ??
            about(`${path}.example.header_handle[0]`, headerHandle)
          }
        />
      )}
    </Section>
  );
}

interface FormatChoiceProps {
  formats: typeof FORMATS;
  value: HeaderFormat;
  onChange: (format: HeaderFormat) => void;
}

/** A row of choices, or a list where the page is narrow. */
function FormatChoice({ formats, value, onChange }: FormatChoiceProps): ReactNode {
  const change = (format: string | null) => onChange((format ?? 'NONE') as HeaderFormat);
  const shared = { data: formats, value, onChange: change, 'aria-label': WORD.header };
  return (
    <>
      <SegmentedControl {...shared} fullWidth visibleFrom="sm" />
      <Select {...shared} allowDeselect={false} hiddenFrom="sm" />
    </>
  );
}

/** The body with its formatting and variables. */
export function BodySection(fields: SectionProps): ReactNode {
  const { draft, set } = fields;
  const field = useRef<HTMLTextAreaElement>(null);
  const { body } = draft;
  const path = pathOf(draft, 'BODY');
  const edit = (before: string, after: string): void => {
    const { selectionStart = body.length, selectionEnd = body.length } = field.current ?? {};
    const inner = body.slice(selectionStart, selectionEnd);
    set({ body: `${body.slice(0, selectionStart)}${before}${inner}${after}${body.slice(selectionEnd)}` });
    field.current?.focus();
  };
  const next = Math.max(0, ...placeholdersOf(body)) + 1;
  return (
    <Section title={WORD.body}>
      <Textarea
        ref={field}
        label={WORD.bodyLabel}
        description={<Count text={body} max={MAX_BODY_LENGTH} hint={WORD.bodyHint} />}
        required
        autosize
        minRows={3}
        maxRows={12}
        {...inputOf(fields, 'body', `${path}.text`)}
      />
      <Group gap={6}>
        <Mark label={WORD.bold} onClick={() => edit('*', '*')} icon={<IconBold size={16} />} />
        <Mark label={WORD.italic} onClick={() => edit('_', '_')} icon={<IconItalic size={16} />} />
        <Mark label={WORD.strike} onClick={() => edit('~', '~')} icon={<IconStrikethrough size={16} />} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => edit(`{{${next}}}`, '')}
        >
          {WORD.addVariable}
        </Button>
      </Group>
      <Examples {...fields} />
    </Section>
  );
}

/** The footer. */
export function FooterSection(fields: SectionProps): ReactNode {
  const { draft } = fields;
  return (
    <Section title={WORD.footer}>
      <TextInput
        label={WORD.footerLabel}
        description={<Count text={draft.footer} max={MAX_FOOTER_LENGTH} hint={WORD.footerHint} />}
        {...inputOf(fields, 'footer', `${pathOf(draft, 'FOOTER')}.text`)}
      />
    </Section>
  );
}

function Examples({ draft, set, about }: SectionProps): ReactNode {
  const numbers = numbersOf(draft);
  if (numbers.length === 0) return null;
  const change = (number: number, value: string): void => {
    const length = Math.max(draft.examples.length, number);
    const examples = Array.from({ length }, (_, i) => (i === number - 1 ? value : (draft.examples[i] ?? '')));
    set({ examples });
  };
  const wrong = about(`${pathOf(draft, 'BODY')}.example.body_text[0]`, 'given');
  return (
    <Stack gap={6} role="group" aria-label={WORD.examples}>
      <div>
        <Text size="sm" fw={600}>
          {WORD.examples}
        </Text>
        <Text size="xs" c="dimmed">
          {WORD.examplesLead}
        </Text>
      </div>
      {numbers.map((number) => (
        <TextInput
          key={number}
          aria-label={WORD.example(number)}
          leftSection={<Text size="xs">{`{{${number}}}`}</Text>}
          leftSectionWidth={52}
          value={draft.examples[number - 1] ?? ''}
          onChange={onText((value) => change(number, value))}
        />
      ))}
      {wrong !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)">
          {wrong}
        </Text>
      )}
    </Stack>
  );
}

function Mark({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }): ReactNode {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

function Count({ text, max, hint = '' }: { text: string; max: number; hint?: string }): ReactNode {
  return `${hint} ${[...text].length} of ${max} characters.`.trim();
}
