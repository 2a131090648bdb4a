import { Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { onText } from '../../parts/on-text.ts';
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
  const taken = failure?.code === 'name_exists' ? failure.message : undefined;
  return (
    <Stack gap="sm">
      <TextInput
        label={WORDS.name}
        description={WORDS.nameHint}
        required
        maxLength={100}
        value={draft.name}
        onChange={onText((name) => set({ name }))}
        error={failure?.about('name') ?? taken}
      />
      <Select
        label={WORDS.window}
        description={WORDS.windowHint}
        data={WINDOWS}
        allowDeselect={false}
        value={draft.sessionWindow}
        onChange={(value) => set({ sessionWindow: value ?? 'off' })}
        error={failure?.about('sessionWindow')}
      />
    </Stack>
  );
}
