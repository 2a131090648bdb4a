import { Paper, Select, SimpleGrid, Stack, Switch, TextInput, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { FieldGroup } from '../../parts/field-group.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { Form } from '../../parts/form.tsx';
import { inputOf } from '../../parts/input-of.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { type Draft, NUMBERS, hasNumbers, uses } from './draft.ts';
import type { FieldsProps } from './fields.ts';
import { TestNumbers } from './test-numbers.tsx';
import { FLOWS, FORM, WORDS } from './words.ts';

interface FormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSave: () => Promise<unknown>;
  failure: ApiFailure | null;
  readOnly: boolean;
  /** True while the draft is not stored. */
  isChanged: boolean;
}

/** Names in the draft of fields that have others in the request. */
const NAMES: Readonly<Record<string, keyof Draft>> = {
  'flow[1].afterSeconds': 'afterSeconds',
  'template.name': 'templateName',
  'template.language': 'templateLanguage',
  'template.from': 'from',
};

/** The form of a verification configuration. */
export function ConfigForm(props: FormProps): ReactNode {
  const { draft, onChange, onSave, failure, readOnly, isChanged } = props;
  const { about, shown } = useFieldErrors(failure, draft);
  const fields: FieldsProps = {
    draft,
    set: (change) => onChange({ ...draft, ...change }),
    about: (field) => about(field, NAMES[field]),
  };
  return (
    <Form isChanged={isChanged} onSubmit={() => (hasNumbers(draft) ? onSave() : undefined)}>
      <FieldGroup readOnly={readOnly}>
        <Stack>
          <Paper withBorder p="md">
            <Stack>
              <General {...fields} />
              {uses(draft, 'sms') && <Sms {...fields} />}
              {uses(draft, 'chatapp') && <ChatApp {...fields} />}
            </Stack>
          </Paper>
          <Paper withBorder p="md">
            <Numbers {...fields} />
          </Paper>
          <Paper withBorder p="md">
            <TestNumbers {...fields} />
          </Paper>
          <FailureAlert failure={shown} listsDetails />
          {!readOnly && <FormButtons verb={WORDS.save} />}
        </Stack>
      </FieldGroup>
    </Form>
  );
}

function General(fields: FieldsProps): ReactNode {
  const { draft, set, about } = fields;
  const hasSecond = draft.flow.includes(',');
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <TextInput label={FORM.name} required {...inputOf(fields, 'name')} />
        <Select
          label={FORM.flow}
          allowDeselect={false}
          data={Object.entries(FLOWS).map(([value, label]) => ({ value, label }))}
          value={draft.flow}
          error={about('flow')}
          onChange={(value) => set({ flow: value as Draft['flow'] })}
        />
        {hasSecond && (
          <NumberField
            label={FORM.fallbackAfter}
            min={1}
            value={draft.afterSeconds}
            error={about('flow[1].afterSeconds')}
            onChange={(afterSeconds) => set({ afterSeconds })}
          />
        )}
        {hasSecond && (
          <Select
            label={FORM.stopOn}
            allowDeselect={false}
            data={[
              { value: 'delivered', label: 'delivered' },
              { value: 'verified', label: 'verified' },
            ]}
            value={draft.stopOn}
            onChange={(value) => set({ stopOn: value as Draft['stopOn'] })}
          />
        )}
      </SimpleGrid>
      <Switch
        label={FORM.enabled}
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}

function Sms(fields: FieldsProps): ReactNode {
  return (
    <>
      <TextInput label={FORM.sender} required maw={320} {...inputOf(fields, 'sender')} />
      <Textarea
        label={FORM.text}
        description={FORM.textHint}
        autosize
        minRows={2}
        {...inputOf(fields, 'text')}
      />
    </>
  );
}

const TEMPLATE_FIELDS = [
  ['templateName', FORM.template, 'template.name'],
  ['templateLanguage', FORM.language, 'template.language'],
  ['from', FORM.from, 'template.from'],
] as const;

function ChatApp(fields: FieldsProps): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }}>
      {TEMPLATE_FIELDS.map(([name, label, field]) => (
        <TextInput
          key={name}
          label={label}
          required={name !== 'templateLanguage'}
          {...inputOf(fields, name, field)}
        />
      ))}
    </SimpleGrid>
  );
}

function Numbers({ draft, set, about }: FieldsProps): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      <Select
        label={FORM.alphabet}
        allowDeselect={false}
        data={[
          { value: 'numeric', label: 'Digits' },
          { value: 'alphanumeric', label: 'Letters and digits' },
        ]}
        value={draft.alphabet}
        onChange={(value) => set({ alphabet: value ?? 'numeric' })}
      />
      {NUMBERS.map(([name, min, max]) => (
        <NumberField
          key={name}
          label={FORM[name]}
          min={min}
          max={max}
          value={draft[name]}
          error={about(name)}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
    </SimpleGrid>
  );
}
