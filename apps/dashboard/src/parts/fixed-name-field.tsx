import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** The name of a gateway or a route, which other settings refer to: it cannot change. */
export function FixedNameField(input: TextInputProps): ReactNode {
  return (
    <TextInput
      label="Name"
      description="Lower-case letters, digits and dashes. It cannot change."
      required
      maxLength={39}
      {...input}
    />
  );
}
