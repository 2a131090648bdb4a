import { Select, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CHANNEL_CHOICES, CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { EventChoice } from './event-choice.tsx';
import { HeadersField } from './headers-field.tsx';
import { OptionalFields } from './optional-fields.tsx';
import { ProviderField } from './provider-field.tsx';
import type { WebhookForm } from './webhook-form.ts';
import { EVENTS, takesBatches } from './webhook-values.ts';
import { WORDS } from './words.ts';

interface WebhookFieldsProps {
  form: WebhookForm;
  /** True for a stored configuration, whose channel cannot change. */
  isStored: boolean;
}

/** The fields of a configuration: those of the spec, then the optional ones behind "More". */
export function WebhookFields({ form, isStored }: WebhookFieldsProps): ReactNode {
  const { channel, method } = form.values;
  return (
    <Stack gap="md">
      <ChannelField form={form} isStored={isStored} />
      <TextInput
        label={WORDS.name}
        description={WORDS.nameHint}
        required
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <ProviderField form={form} />
      {channel === 'sms' ? (
        <Select
          label={WORDS.method}
          description={WORDS.methodHint[method]}
          data={['POST', 'GET']}
          allowDeselect={false}
          required
          {...form.getInputProps('method')}
        />
      ) : (
        <EventChoice form={form} />
      )}
      <TextInput
        label={WORDS.endPoint}
        description={WORDS.endPointHint}
        type="url"
        placeholder="https://example.com/reports"
        required
        {...form.getInputProps('endPoint')}
      />
      {!takesBatches(form.values) && <HeadersField form={form} />}
      <OptionalFields form={form} />
    </Stack>
  );
}

function ChannelField({ form, isStored }: WebhookFieldsProps): ReactNode {
  const { channel } = form.values;
  if (isStored) return <Text c="dimmed">{`${WORDS.channel}: ${CHANNEL_NAMES[channel]}`}</Text>;
  const choose = (value: string) =>
    form.setValues({
      channel: value as typeof channel,
      method: 'POST',
      events: value === 'chatapp' ? [...EVENTS] : [],
      status: [],
    });
  return (
    <SegmentedControl
      aria-label={WORDS.channel}
      data={CHANNEL_CHOICES}
      value={channel}
      onChange={choose}
      fullWidth={false}
      w="fit-content"
    />
  );
}
