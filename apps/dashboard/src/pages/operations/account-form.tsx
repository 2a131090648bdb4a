import { Accordion, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type Account, type AccountChangeRequest, changeAccount, createAccount } from '@signalbox/client';
import { ACCOUNT_LIMITS, type AccountLimit } from '@signalbox/domain/account-limits';
import { type ReactNode, useState } from 'react';
import { type ApiFailure, fieldErrorsOf } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import { capitalized } from '../../parts/capitalized.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { whenValid } from '../../parts/when-valid.ts';
import { LIMIT_NAMES, WORDS } from './words.ts';

const LIMITS = Object.entries(ACCOUNT_LIMITS) as [AccountLimit, { max: number }][];
const MAX_RATE = 1_000_000;
const RATE = 'SMS per second';

interface AccountValues {
  name: string;
  /** Empty for no limit. */
  rate: number | string;
  /** Empty for the default. */
  limits: Record<AccountLimit, number | string>;
}

/** The settings of a new account, or of an existing one. */
export function AccountForm({ account, onDone }: { account?: Account; onDone: () => void }): ReactNode {
  const form = useForm({ initialValues: valuesOf(account) });
  const options = {
    changes: ['accounts'],
    showsFailure: false,
    done: (body: { message: string }) => body.message,
  };
  const create = useAct(
    (body: ReturnType<typeof requestOf>, headers) => createAccount({ body, headers }),
    options,
  );
  const change = useAct(
    (body: AccountChangeRequest) => changeAccount({ path: { id: account?.id ?? '' }, body }),
    options,
  );
  const act = account ? change : create;
  const save = (values: AccountValues): Promise<unknown> => {
    const after = {
      onSuccess: onDone,
      onError: (failure: ApiFailure) => form.setErrors(formErrorsOf(failure)),
    };
    return account
      ? change.mutateAsync(changeOf(form.getInitialValues(), values), after)
      : create.mutateAsync(requestOf(values), after);
  };
  return (
    <Form isChanged={form.isDirty()} onSubmit={whenValid(form, save)}>
      <Stack>
        <Fields form={form} />
        <FormFailure failure={act.error} errors={form.errors} labelOf={labelOf} />
        <SubmitButton disabled={form.values.name.trim() === ''}>
          {account ? WORDS.saveAccount : WORDS.createAccount}
        </SubmitButton>
      </Stack>
    </Form>
  );
}

function Fields({ form }: { form: UseFormReturnType<AccountValues> }): ReactNode {
  const [opened, setOpened] = useState<string | null>(null);
  const hasWrongLimit = Object.keys(form.errors).some((path) => path.startsWith('limits.'));
  return (
    <>
      <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
      <NumberInput
        label={RATE}
        description="Of all workers together. Empty for no limit."
        min={1}
        max={MAX_RATE}
        allowDecimal={false}
        {...form.getInputProps('rate')}
      />
      <Accordion variant="contained" value={hasWrongLimit ? 'limits' : opened} onChange={setOpened}>
        <Accordion.Item value="limits">
          <Accordion.Control>{WORDS.limits}</Accordion.Control>
          <Accordion.Panel>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {LIMITS.map(([name, { max }]) => (
                <NumberInput
                  key={name}
                  label={LIMIT_NAMES[name]}
                  placeholder={max.toLocaleString()}
                  min={0}
                  allowDecimal={false}
                  thousandSeparator
                  {...form.getInputProps(`limits.${name}`)}
                />
              ))}
            </SimpleGrid>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}

/** The sentences of a refused request by the paths of the form. */
function formErrorsOf(failure: ApiFailure): Record<string, string> {
  const { smsPerSecond, ...errors } = fieldErrorsOf(failure);
  return { ...errors, ...(smsPerSecond !== undefined && { rate: smsPerSecond }) };
}

function labelOf(path: string): string {
  const [field = '', limit] = path.split('.');
  if (limit !== undefined) return LIMIT_NAMES[limit as AccountLimit];
  return field === 'rate' ? RATE : capitalized(field);
}

function valuesOf(account: Account | undefined): AccountValues {
  const own = new Map(account?.limits.map(({ name, max, isDefault }) => [name, isDefault ? '' : max]));
  return {
    name: account?.name ?? '',
    rate: account?.smsPerSecond ?? '',
    limits: Object.fromEntries(
      LIMITS.map(([name]) => [name, own.get(name) ?? '']),
    ) as AccountValues['limits'],
  };
}

function requestOf({ name, rate, limits }: AccountValues) {
  const given = Object.entries(limits).map(([limit, max]): [string, number | null] => [
    limit,
    max === '' ? null : Number(max),
  ]);
  return { name, smsPerSecond: rate === '' ? null : Number(rate), limits: Object.fromEntries(given) };
}

function changeOf(opened: AccountValues, values: AccountValues): AccountChangeRequest {
  const [before, after] = [requestOf(opened), requestOf(values)];
  const limits = changedFields(before.limits, after.limits) as typeof after.limits;
  return { ...changedFields(before, after), limits };
}
