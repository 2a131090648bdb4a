import { Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { inputOf } from '../../parts/input-of.ts';
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

/** Name and session window of a chat account. */
export function AccountFields({ draft, set, failure }: AccountFieldsProps): ReactNode {
  const about = (field: string) =>
    failure?.code === 'name_exists' && field === 'name' ? failure.message : failure?.about(field);
  return (
    <Stack gap="sm">
      <TextInput
        label={WORDS.name}
        description={WORDS.nameHint}
        required
        maxLength={100}
        {...inputOf({ draft, set, about }, 'name')}
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
    </Stack>
  );
}
