import {
  Checkbox,
  Fieldset,
  JsonInput,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  TextInput,
  Textarea,
} from '@mantine/core';
import type { GatewayKind, GatewaySetting } from '@signalbox/client';
import type { ReactNode } from 'react';
import { MoreFields } from '../../parts/more-fields.tsx';
import { onText } from '../../parts/on-text.ts';
import type { GatewayFormState } from './gateway-form-state.ts';
import { isOfPresets, presetOf, settingKey, settingsOf } from './gateway-values.ts';
import { WORDS, settingLabel } from './words.ts';

/** Settings of a kind that most gateways need, besides the required ones. */
const USUAL = new Set(['port', 'bindMode', 'binds', 'window', 'preset', 'baseUrl', 'delayMs', 'appId']);

/**
 * The settings of a kind: the usual ones and those of the chosen preset, and the others behind "More settings", grouped by
 * their object.
 */
export function SettingFields({ form, kind }: { form: GatewayFormState; kind: GatewayKind }): ReactNode {
  const preset = presetOf(form.values, kind);
  const fields = settingsOf(form.values, kind)
    .filter(({ type }) => type !== 'object')
    .map((field) => ({
      ...field,
      required: field.required || (preset?.requires.includes(field.name) ?? false),
    }));
  const isFirst = (field: GatewaySetting) =>
    isOfPresets(field, kind) ? preset !== undefined : isUsual(field);
  const others = fields.filter((field) => !isFirst(field));
  const isRefused = others.some(({ name }) => form.errors[`settings.${settingKey(name)}`] !== undefined);
  return (
    <Stack gap="md">
      {fields.filter(isFirst).map((field) => (
        <SettingInput key={`${kind.kind} ${field.name}`} form={form} field={field} />
      ))}
      {others.length > 0 && (
        <MoreFields label={WORDS.moreSettings} isForced={isRefused}>
          {[...Map.groupBy(others, parentOf)].map(([parent, members]) => (
            <Group key={parent} parent={parent} members={members} form={form} />
          ))}
        </MoreFields>
      )}
    </Stack>
  );
}

function isUsual({ name, required }: GatewaySetting): boolean {
  return (required && !name.includes('.')) || USUAL.has(name);
}

/** `tls` for the setting `tls.ca`. */
function parentOf({ name }: GatewaySetting): string {
  return name.split('.').slice(0, -1).join('.');
}

interface GroupProps {
  parent: string;
  members: readonly GatewaySetting[];
  form: GatewayFormState;
}

function Group({ parent, members, form }: GroupProps): ReactNode {
  const inputs = members.map((field) => <SettingInput key={field.name} form={form} field={field} />);
  if (parent === '') return inputs;
  return (
    <Fieldset legend={parent.split('.').map(settingLabel).join(' › ')}>
      <Stack gap="sm">{inputs}</Stack>
    </Fieldset>
  );
}

interface SettingInputProps {
  form: GatewayFormState;
  field: GatewaySetting;
}

/** The input of a setting, by its type. */
function SettingInput({ form, field }: SettingInputProps): ReactNode {
  const { name, required, type, choices, minimum, maximum } = field;
  const path = `settings.${settingKey(name)}`;
  const shared = { label: settingLabel(name), required, error: form.errors[path] };
  const stored = form.values.settings[settingKey(name)];
  const set = (value: string | number | boolean | string[]) => form.setFieldValue(path, value);
  if (type === 'boolean')
    return (
      <Checkbox
        {...shared}
        checked={Boolean(stored ?? field.default ?? false)}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    );
  if (type === 'integer')
    return (
      <NumberInput
        {...shared}
        placeholder={defaultText(field)}
        value={(stored as number | string | undefined) ?? ''}
        onChange={set}
        {...(minimum !== null && { min: minimum })}
        {...(maximum !== null && { max: maximum })}
      />
    );
  if (type === 'choice')
    return (
      <Select
        {...shared}
        placeholder={defaultText(field)}
        data={(choices ?? []).map(String)}
        value={stored === undefined || stored === '' ? null : String(stored)}
        clearable
        onChange={(value) => set(value ?? '')}
      />
    );
  if (type === 'texts')
    return <TagsInput {...shared} value={(stored as string[] | undefined) ?? []} onChange={set} />;
  return <TextSetting form={form} field={field} />;
}

/** A setting that is written as text: JSON, several lines, or one. */
function TextSetting({ form, field }: SettingInputProps): ReactNode {
  const { name, required, type } = field;
  const path = `settings.${settingKey(name)}`;
  const set = (value: string) => form.setFieldValue(path, value);
  const shared = {
    label: settingLabel(name),
    required,
    error: form.errors[path],
    placeholder: defaultText(field),
    value: String(form.values.settings[settingKey(name)] ?? ''),
  };
  const onChange = onText(set);
  if (type === 'map' || type === 'json')
    return (
      <JsonInput
        {...shared}
        description="JSON"
        autosize
        minRows={2}
        maxRows={16}
        formatOnBlur
        onChange={set}
      />
    );
  const isLong = name.endsWith('.ca') || name.endsWith('.body');
  return isLong ? (
    <Textarea {...shared} autosize minRows={2} maxRows={10} onChange={onChange} />
  ) : (
    <TextInput {...shared} onChange={onChange} />
  );
}

function defaultText({ default: value }: GatewaySetting): string {
  if (value === null || value === '' || typeof value === 'object') return '';
  return `${WORDS.defaultIs}: ${String(value as string | number | boolean)}`;
}
