import { Card, Checkbox, Fieldset, NumberInput, PasswordInput, Stack, Text } from '@mantine/core';
import type { GatewayKind } from '@signalbox/client';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { FormButtons, type FormButtonsProps } from '../../parts/form-buttons.tsx';
import { onText } from '../../parts/on-text.ts';
import { whenValid } from '../../parts/when-valid.ts';
import type { GatewayFormState } from './gateway-form-state.ts';
import { type GatewayValues, settingKey } from './gateway-values.ts';
import { SettingFields } from './setting-fields.tsx';
import { WORDS, settingLabel } from './words.ts';
import { capitalized } from '../../parts/capitalized.ts';

interface GatewayFormProps {
  form: GatewayFormState;
  kind: GatewayKind;
  /** Names of the credentials that are stored. */
  stored: ReadonlySet<string>;
  /** The fields of a new gateway. */
  identity?: ReactNode;
  onSave: (values: GatewayValues) => Promise<unknown>;
  failure: ApiFailure | null;
  /** Way out of a refusal, above the buttons. */
  wayOut?: ReactNode;
  verb: string;
  /** Page that cancelling leads to. */
  cancel: FormButtonsProps['cancel'];
}

/** The form of a gateway, with the settings and credentials of its kind. */
export function GatewayForm(props: GatewayFormProps): ReactNode {
  const { form, kind, stored, identity, onSave, failure, wayOut, verb, cancel } = props;
  const isNew = identity !== undefined;
  return (
    <Card maw={820}>
      <Form isChanged={form.isDirty()} onSubmit={whenValid(form, onSave)}>
        <Stack gap="lg">
          {identity}
          <SettingFields form={form} kind={kind} />
          {kind.secrets.length > 0 && <Credentials form={form} kind={kind} stored={stored} />}
          <NumberInput
            label={WORDS.rate}
            description={WORDS.rateHint}
            placeholder={WORDS.noLimit}
            min={1}
            max={100_000}
            {...form.getInputProps('ratePerSecond')}
          />
          {isNew && (
            <Checkbox
              label={WORDS.enabled}
              description={WORDS.enabledHint}
              {...form.getInputProps('enabled', { type: 'checkbox' })}
            />
          )}
          <FormFailure failure={failure} errors={form.errors} labelOf={(path) => labelOf(path, kind)} />
          {wayOut}
          <FormButtons verb={verb} cancel={cancel} />
        </Stack>
      </Form>
    </Card>
  );
}

/** The label of the field at a path of the form. */
function labelOf(path: string, kind: GatewayKind): string {
  const [group, name] = [path.split('.', 1)[0], path.slice(path.indexOf('.') + 1)];
  if (group === 'settings')
    return settingLabel(kind.settings.find((each) => settingKey(each.name) === name)?.name ?? name);
  return group === 'ratePerSecond' ? WORDS.rate : settingLabel(name);
}

function Credentials({ form, kind, stored }: Pick<GatewayFormProps, 'form' | 'kind' | 'stored'>): ReactNode {
  return (
    <Fieldset legend={WORDS.credentials}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {stored.size > 0 ? `${WORDS.credentialsHint} ${WORDS.credentialsKept}` : WORDS.credentialsHint}
        </Text>
        {kind.secrets.map(({ name, required, help }) => (
          <PasswordInput
            key={name}
            label={settingLabel(name)}
            description={capitalized(help).replaceAll('`', '')}
            required={required && !stored.has(name)}
            placeholder={stored.has(name) ? WORDS.isSet : WORDS.notSet}
            autoComplete="new-password"
            error={form.errors[`secrets.${name}`]}
            value={form.values.secrets[name] ?? ''}
            onChange={onText((value) => form.setFieldValue(`secrets.${name}`, value))}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}
