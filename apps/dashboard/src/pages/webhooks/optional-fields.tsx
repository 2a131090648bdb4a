import { PUSHED_STATUSES } from '@signalbox/domain/webhooks/push-filters';
import { NAMED_FIELDS } from '@signalbox/domain/webhooks/report-fields';
import {
  Checkbox,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { CountriesInput } from '../../parts/countries-input.tsx';
import { MoreFields } from '../../parts/more-fields.tsx';
import { TYPE_CHOICES } from '../../parts/type-names.ts';
import type { WebhookForm } from './webhook-form.ts';
import { PLACEHOLDERS, WORDS } from './words.ts';

/** The optional settings of a configuration. */
export function OptionalFields({ form }: { form: WebhookForm }): ReactNode {
  return (
    <MoreFields label={WORDS.more} hint={WORDS.lessHint}>
      {form.values.channel === 'sms' && <SmsFields form={form} />}
      <Filters form={form} />
      <Limits form={form} />
    </MoreFields>
  );
}

function SmsFields({ form }: { form: WebhookForm }): ReactNode {
  const { method, events } = form.values;
  const isInbound = events.includes('message.received');
  return (
    <>
      <MultiSelect
        label={WORDS.fields}
        description={WORDS.fieldsHint}
        data={NAMED_FIELDS.map((value) => ({ value, label: `${value}: ${PLACEHOLDERS[value]}` }))}
        {...form.getInputProps('fields')}
      />
      <Checkbox
        label={WORDS.intermediate}
        description={WORDS.intermediateHint}
        {...form.getInputProps('intermediate', { type: 'checkbox' })}
      />
      {method === 'POST' && (
        <Checkbox
          label={WORDS.inbound}
          checked={isInbound}
          onChange={() => form.setFieldValue('events', isInbound ? [] : ['message.received'])}
          error={form.errors['events']}
        />
      )}
    </>
  );
}

function Filters({ form }: { form: WebhookForm }): ReactNode {
  const { channel } = form.values;
  return (
    <Fieldset legend={WORDS.filters}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {WORDS.filtersHint}
        </Text>
        {channel === 'sms' && (
          <MultiSelect label={WORDS.filterType} data={TYPE_CHOICES} {...form.getInputProps('type')} />
        )}
        <MultiSelect
          label={WORDS.filterStatus}
          data={[...PUSHED_STATUSES[channel]]}
          {...form.getInputProps('status')}
        />
        <TagsInput label={WORDS.filterSender} {...form.getInputProps('sender')} />
        <CountriesInput
          label={WORDS.filterCountry}
          description={WORDS.filterCountryHint}
          {...form.getInputProps('country')}
        />
      </Stack>
    </Fieldset>
  );
}

function Limits({ form }: { form: WebhookForm }): ReactNode {
  return (
    <Fieldset legend={WORDS.delivery}>
      <Stack gap="sm">
        <Checkbox
          label={WORDS.defaultSchedule}
          checked={!form.values.hasSchedule}
          onChange={(event) => form.setFieldValue('hasSchedule', !event.currentTarget.checked)}
        />
        {form.values.hasSchedule && (
          <TextInput
            label={WORDS.schedule}
            description={WORDS.scheduleHint}
            {...form.getInputProps('schedule')}
          />
        )}
        <Group grow align="flex-start">
          <NumberInput label={WORDS.maxInFlight} min={1} max={256} {...form.getInputProps('maxInFlight')} />
          <NumberInput
            label={WORDS.ratePerSecond}
            placeholder={WORDS.noLimit}
            min={1}
            max={10_000}
            {...form.getInputProps('ratePerSecond')}
          />
        </Group>
        {form.values.method === 'POST' && <Batch form={form} />}
      </Stack>
    </Fieldset>
  );
}

function Batch({ form }: { form: WebhookForm }): ReactNode {
  const { hasBatch } = form.values;
  return (
    <>
      <Checkbox
        label={WORDS.batch}
        description={WORDS.batchHint}
        {...form.getInputProps('hasBatch', { type: 'checkbox' })}
        error={form.errors['batch']}
      />
      {hasBatch && (
        <Group grow align="flex-start">
          <NumberInput
            label={WORDS.batchMax}
            min={1}
            max={100}
            required
            {...form.getInputProps('batchMax')}
          />
          <NumberInput
            label={WORDS.batchWaitMs}
            min={0}
            max={1_000}
            required
            {...form.getInputProps('batchWaitMs')}
          />
        </Group>
      )}
    </>
  );
}
