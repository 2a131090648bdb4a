import { Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { inputOf } from '../../parts/input-of.ts';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { WORDS } from './words.ts';

/** Settings of a chat account while they are edited. */
export interface AccountDraft {
  name: string;
  sessionWindow: 'off' | 'enforce';
}

interface AccountFieldsProps {
  draft: AccountDraft;
  set: (change: Partial<AccountDraft>) => void;
  failure: ApiFailure | null;
}

const WINDOWS = (Object.keys(WORDS.windows) as AccountDraft['sessionWindow'][]).map((value) => ({
  value,
  label: WORDS.windows[value],
}));

/** Name and session window of a chat account, and why they were refused. */
export function AccountFields({ draft, set, failure }: AccountFieldsProps): ReactNode {
  const { about, shown } = useFieldErrors(failure, draft);
  return (
    <Stack gap="sm">
      <TextInput
        label={WORDS.name}
        description={WORDS.nameHint}
        required
        maxLength={100}
        {...inputOf({ draft, set, about: (field) => about(field) }, 'name')}
      />
      <Select
        label={WORDS.window}
        description={WORDS.windowHint}
        data={WINDOWS}
        allowDeselect={false}
        value={draft.sessionWindow}
        onChange={(value) => set({ sessionWindow: value ?? 'off' })}
        error={about('sessionWindow')}
      />
      <FailureAlert failure={shown} />
    </Stack>
  );
}
