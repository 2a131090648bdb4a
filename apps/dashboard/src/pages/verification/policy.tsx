import { NumberInput, SegmentedControl, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import { type VerifyPolicy, changeVerifyPolicy, getVerifyPolicy } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { CountriesInput } from '../../parts/countries-input.tsx';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { FieldGroup } from '../../parts/field-group.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NumberField, type TypedNumber } from '../../parts/number-field.tsx';
import { Section } from '../../parts/section.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { POLICY, WORDS } from './words.ts';

/** The limits of all codes of the account, and its fraud guard. */
export function Policy(): ReactNode {
  const policy = useAnswer(['verification', 'policy'], (signal) => getVerifyPolicy({ signal }));
  return (
    <Section title={WORDS.policy}>
      <Loaded answer={policy} height={180}>
        {(data) => <PolicyForm policy={data} />}
      </Loaded>
    </Section>
  );
}

/** A policy as it is typed. */
interface Draft extends Omit<VerifyPolicy, 'minConversionPercent' | 'minSends'> {
  minConversionPercent: TypedNumber;
  minSends: TypedNumber;
}

function hasNumbers({ minConversionPercent, minSends }: Draft): boolean {
  return minConversionPercent !== '' && minSends !== '';
}

function bodyOf(draft: Draft): VerifyPolicy {
  return {
    ...draft,
    minConversionPercent: Number(draft.minConversionPercent),
    minSends: Number(draft.minSends),
  };
}

function PolicyForm({ policy }: { policy: VerifyPolicy }): ReactNode {
  const { saved, draft, isChanged, set, keep } = useDraft<Draft>(policy);
  const mayManage = useMay('manage');
  const store = () => changeVerifyPolicy({ body: changedFields<VerifyPolicy>(bodyOf(saved), bodyOf(draft)) });
  const save = useAct(store, { changes: ['verification'], done: WORDS.policySaved, showsFailure: false });
  const { about, shown } = useFieldErrors(save.error, draft);
  const submit = () =>
    hasNumbers(draft)
      ? save.mutateAsync(undefined, { onSuccess: ({ data }) => keep(draft, data) })
      : undefined;
  return (
    <Form isChanged={isChanged} onSubmit={submit}>
      <FieldGroup readOnly={!mayManage}>
        <Stack>
          <div>
            <Text size="sm" fw={500} mb={4}>
              {POLICY.guard}
            </Text>
            <SegmentedControl
              aria-label={POLICY.guard}
              disabled={!mayManage}
              data={[
                { value: 'off', label: 'Off' },
                { value: 'monitor', label: 'Flag' },
                { value: 'block', label: 'Block' },
              ]}
              value={draft.fraudGuard}
              onChange={(value) => set({ fraudGuard: value as VerifyPolicy['fraudGuard'] })}
            />
          </div>
          <Fields draft={draft} set={set} about={about} />
          <FailureAlert failure={shown} />
          {mayManage && <FormButtons verb={WORDS.save} />}
        </Stack>
      </FieldGroup>
    </Form>
  );
}

interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  about: (field: string) => string | undefined;
}

function Fields({ draft, set, about }: FieldsProps): ReactNode {
  const limit = (field: 'maxSendsPerPrefixPerHour' | 'dailyCredits', label: string) => (
    <NumberInput
      label={label}
      placeholder={POLICY.unlimited}
      min={0}
      allowDecimal={false}
      thousandSeparator=" "
      value={draft[field] ?? ''}
      error={about(field)}
      onChange={(value) => set({ [field]: value === '' ? null : Number(value) })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <NumberField
        label={POLICY.minConversion}
        min={1}
        max={100}
        value={draft.minConversionPercent}
        error={about('minConversionPercent')}
        onChange={(minConversionPercent) => set({ minConversionPercent })}
      />
      <NumberField
        label={POLICY.minSends}
        min={1}
        value={draft.minSends}
        error={about('minSends')}
        onChange={(minSends) => set({ minSends })}
      />
      {limit('maxSendsPerPrefixPerHour', POLICY.prefix)}
      {limit('dailyCredits', POLICY.credits)}
      <CountriesInput
        label={POLICY.countries}
        description={POLICY.countriesHint}
        value={draft.countries ?? []}
        error={about('countries')}
        onChange={(value) => set({ countries: value.length === 0 ? null : value })}
      />
      <TagsInput
        label={POLICY.allow}
        value={draft.guardAllowList}
        error={about('guardAllowList')}
        onChange={(value) => set({ guardAllowList: value })}
      />
    </SimpleGrid>
  );
}
