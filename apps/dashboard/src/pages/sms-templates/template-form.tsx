import { Card, Grid, Group, Select, SimpleGrid, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { type SmsTemplate, changeSmsTemplate, createSmsTemplate } from '@signalbox/client';
import { countParts, firstUnicode } from '@signalbox/domain/sms/parts';
import { checkTemplateText } from '@signalbox/domain/sms/template';
import { parseTemplate, renderText } from '@signalbox/domain/sms/text';
import { type ReactNode, useState } from 'react';
import { type ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { capitalized } from '../../parts/capitalized.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { counted } from '../../parts/counted.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { FieldGroup } from '../../parts/field-group.tsx';
import { Form } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { TextBubble } from '../../parts/phone/phone-message.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { TYPE_CHOICES } from '../../parts/type-names.ts';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { useNextPage } from '../../parts/use-next-page.ts';
import { valueName } from '../../parts/value-name.ts';
import { WORDS } from './words.ts';

type Draft = Record<'name' | 'text' | 'sender' | 'type' | 'dltEntityId' | 'dltTemplateId', string>;
const OPTIONAL = ['sender', 'type', 'dltEntityId', 'dltTemplateId'] as const;

/** The fields of a template, next to the phone that shows its text with sample values. */
export function TemplateForm({ template }: { template: SmsTemplate | undefined }): ReactNode {
  const [saved, setSaved] = useState<Draft>(() => draftOf(template));
  const [draft, setDraft] = useState(saved);
  const set = (name: keyof Draft, value: string) => setDraft((before) => ({ ...before, [name]: value }));
  const { save, submit } = useSave(template, saved, draft, () => setSaved(draft));
  const problem = draft.text === '' ? undefined : checkTemplateText(draft.text)[0]?.message;
  const mayManage = useMay('manage');
  const { about, shown } = useFieldErrors(save.error, draft);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <Card>
          <Form isChanged={draft !== saved} onSubmit={submit}>
            <FieldGroup readOnly={!mayManage}>
              <Stack gap="sm">
                <Fields draft={draft} set={set} problem={problem} about={about} />
                <FailureAlert failure={shown} />
                {mayManage && (
                  <Group justify="flex-end">
                    <SubmitButton disabled={problem !== undefined}>{WORDS.save}</SubmitButton>
                  </Group>
                )}
              </Stack>
            </FieldGroup>
          </Form>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <Preview text={draft.text} sender={draft.sender} />
      </Grid.Col>
    </Grid>
  );
}

interface FieldsProps {
  draft: Draft;
  set: (name: keyof Draft, value: string) => void;
  problem: string | undefined;
  about: (name: string) => string | undefined;
}

function Fields({ draft, set, problem, about }: FieldsProps): ReactNode {
  const input = (name: keyof Draft, label: string, help?: string) => (
    <TextInput
      label={label}
      description={help}
      value={draft[name]}
      error={about(name)}
      required={name === 'name'}
      onChange={onText((value) => set(name, value))}
    />
  );
  return (
    <>
      {input('name', WORDS.name)}
      <Textarea
        label={WORDS.text}
        description={WORDS.textHelp}
        required
        autosize
        minRows={4}
        value={draft.text}
        error={problem === undefined ? about('text') : capitalized(problem)}
        onChange={onText((value) => set('text', value))}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {input('sender', WORDS.sender, WORDS.senderHelp)}
        <Select
          label={WORDS.type}
          description={WORDS.typeHelp}
          placeholder={WORDS.anyType}
          data={TYPE_CHOICES}
          clearable
          value={draft.type === '' ? null : draft.type}
          error={about('type')}
          onChange={(type) => set('type', type ?? '')}
        />
        {input('dltEntityId', WORDS.entity, WORDS.dltHelp)}
        {input('dltTemplateId', WORDS.template, WORDS.dltHelp)}
      </SimpleGrid>
    </>
  );
}

/** Shows each placeholder as its number, and each link as a sample. */
function Preview({ text, sender }: { text: string; sender: string }): ReactNode {
  const pieces = parseTemplate(text);
  const values = Array.from({ length: 99 }, (_, i) => valueName(i + 1));
  const shown = renderText(pieces, values, () => `${window.location.origin}/s/4fQz0aB19xYk`);
  const { encoding, parts } = countParts(shown, false);
  const forcing = firstUnicode(shown);
  return (
    <Stack gap="xs">
      <PhonePreview title={sender || WORDS.sender} subtitle="SMS">
        {text !== '' && <TextBubble text={shown} />}
      </PhonePreview>
      <Text size="sm" c="dimmed" ta="center">
        {text !== '' && `${encoding} · ${counted(parts, 'segment')} with these values`}
        {forcing && ` · ${forcing.character} forces UCS-2`}
      </Text>
    </Stack>
  );
}

function useSave(template: SmsTemplate | undefined, saved: Draft, draft: Draft, onSaved: () => void) {
  const openNext = useNextPage();
  const save = useAct(
    (given: Draft, headers) => {
      const body = bodyOf(given);
      return (
        template
          ? changeSmsTemplate({ path: { id: template.id }, body: changedFields(bodyOf(saved), body) })
          : createSmsTemplate({ body: withoutNull(body) as typeof body & { name: string }, headers })
      ) as ClientResult<{ data: SmsTemplate }>;
    },
    { changes: ['sms-templates'], done: template ? WORDS.saved : WORDS.created, showsFailure: false },
  );
  const submit = async () => {
    const { id } = (await save.mutateAsync(draft)).data;
    onSaved();
    if (!template) await openNext({ to: '/sms-templates/$id', params: { id } });
  };
  return { save, submit };
}

function draftOf(template: SmsTemplate | undefined): Draft {
  const { name = '', text = '', sender, type, dltEntityId, dltTemplateId } = template ?? {};
  return {
    name,
    text,
    sender: sender ?? '',
    type: type ?? '',
    dltEntityId: dltEntityId ?? '',
    dltTemplateId: dltTemplateId ?? '',
  };
}

/** An emptied field is removed by null. */
function bodyOf({ name, text, ...others }: Draft) {
  const values = OPTIONAL.map((field) => [field, others[field].trim() === '' ? null : others[field].trim()]);
  return { name: name.trim(), text, ...Object.fromEntries(values) } as { name: string; text: string };
}

function withoutNull(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
