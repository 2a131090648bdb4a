import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { onText } from '../parts/on-text.ts';

/** The code of the second factor. */
export function CodeInput({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  return (
    <TextInput
      label="Code"
      description="The 6 digits of your authenticator app, or a recovery code"
      autoComplete="one-time-code"
      autoFocus
      value={value}
      onChange={onText(onChange)}
    />
  );
}
