import {
  ActionIcon,
  Button,
  Card,
  Checkbox,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { listGateways } from '@signalbox/client';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { capitalized } from '../../parts/capitalized.ts';
import { CountriesInput } from '../../parts/countries-input.tsx';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { FixedNameField } from '../../parts/fixed-name-field.tsx';
import { Form } from '../../parts/form.tsx';
import { FormButtons, type FormButtonsProps } from '../../parts/form-buttons.tsx';
import { TYPE_CHOICES } from '../../parts/type-names.ts';
import { whenValid } from '../../parts/when-valid.ts';
import type { RouteForm, RouteValues } from './route-values.ts';
import { WORDS } from './words.ts';

interface RouteFormProps {
  form: RouteForm;
  /** True for a stored route, whose name cannot change. */
  isStored: boolean;
  onSave: (values: RouteValues) => Promise<unknown>;
  failure: ApiFailure | null;
  verb: string;
  /** Page that cancelling leads to. */
  cancel: FormButtonsProps['cancel'];
}

/** The form of a route. */
export function RouteFields(props: RouteFormProps): ReactNode {
  const { form, isStored, onSave, failure, verb, cancel } = props;
  const gateways = useAnswer(['gateways', 'list', 'names'], (signal) => listGateways({ signal }));
  const names = (gateways.data ?? []).map(({ name }) => name);
  return (
    <Card maw={820}>
      <Form isChanged={form.isDirty()} onSubmit={whenValid(form, onSave)}>
        <Stack gap="lg">
          {!isStored && <FixedNameField {...form.getInputProps('name')} />}
          <NumberInput
            label={WORDS.priority}
            description={WORDS.priorityHint}
            min={0}
            max={1_000_000}
            {...form.getInputProps('priority')}
          />
          <Match form={form} />
          <Targets form={form} names={names} />
          <MultiSelect label={WORDS.fallbacks} data={names} searchable {...form.getInputProps('fallbacks')} />
          <Policy form={form} />
          <Checkbox label={WORDS.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <FormFailure failure={failure} errors={form.errors} labelOf={labelOf} />
          <FormButtons verb={verb} cancel={cancel} />
        </Stack>
      </Form>
    </Card>
  );
}

const LABELS: Readonly<Record<string, unknown>> = WORDS;

/** The label of the field at a path of the form, as `targets.0.weight`. */
function labelOf(path: string): string {
  const name = path.split('.').at(-1) ?? path;
  const label = LABELS[name];
  return typeof label === 'string' ? label : capitalized(name);
}

function Policy({ form }: { form: RouteForm }): ReactNode {
  return (
    <Fieldset legend={WORDS.policy}>
      <Stack gap="sm">
        <NumberInput
          label={WORDS.failoverAfterMs}
          min={0}
          step={1_000}
          {...form.getInputProps('failoverAfterMs')}
        />
        <Checkbox
          label={WORDS.resendUnconfirmed}
          {...form.getInputProps('resendUnconfirmed', { type: 'checkbox' })}
        />
      </Stack>
    </Fieldset>
  );
}

function Match({ form }: { form: RouteForm }): ReactNode {
  return (
    <Fieldset legend={WORDS.match}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {WORDS.matchHint}
        </Text>
        <TagsInput label={WORDS.prefixes} placeholder="91" {...form.getInputProps('prefixes')} />
        <CountriesInput label={WORDS.countries} placeholder="IN" {...form.getInputProps('countries')} />
        <MultiSelect label={WORDS.types} data={TYPE_CHOICES} {...form.getInputProps('types')} />
        <TagsInput label={WORDS.senders} {...form.getInputProps('senders')} />
        <TagsInput label={WORDS.accounts} {...form.getInputProps('accounts')} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput
            type="time"
            label={`${WORDS.hours}: ${WORDS.from.toLowerCase()}`}
            {...form.getInputProps('from')}
          />
          <TextInput type="time" label={WORDS.to} {...form.getInputProps('to')} />
          <TextInput label={WORDS.zone} placeholder="Asia/Kolkata" {...form.getInputProps('zone')} />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

function Targets({ form, names }: { form: RouteForm; names: string[] }): ReactNode {
  return (
    <Fieldset legend={WORDS.targets}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {WORDS.targetsHint}
        </Text>
        {form.values.targets.map((_, i) => (
          <Target key={form.key(`targets.${i}`)} form={form} index={i} names={names} />
        ))}
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.insertListItem('targets', { gateway: '', weight: 1, cost: '' })}
        >
          {WORDS.addTarget}
        </Button>
      </Stack>
    </Fieldset>
  );
}

interface TargetProps {
  form: RouteForm;
  index: number;
  /** Gateways to choose from. */
  names: string[];
}

function Target({ form, index, names }: TargetProps): ReactNode {
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label={WORDS.gateway}
        data={names}
        searchable
        flex="2 1 200px"
        {...form.getInputProps(`targets.${index}.gateway`)}
      />
      <NumberInput
        label={WORDS.weight}
        min={0}
        max={1_000}
        flex="1 1 80px"
        {...form.getInputProps(`targets.${index}.weight`)}
      />
      <NumberInput
        label={WORDS.cost}
        min={0}
        decimalScale={6}
        flex="1 1 80px"
        {...form.getInputProps(`targets.${index}.cost`)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`${WORDS.removeTarget} ${index + 1}`}
        disabled={form.values.targets.length === 1}
        onClick={() => form.removeListItem('targets', index)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
