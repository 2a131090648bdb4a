import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { onText } from './on-text.ts';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter of a list that applies when it is left or Enter is pressed, so that nothing looks for half a number. */
export function TextFilter({ label, value, onChange }: TextFilterProps): ReactNode {
  const apply = (text: string) => {
    const given = text.trim() || undefined;
    if (given !== value) onChange(given);
  };
  return (
    <TextInput
      key={value ?? ''}
      aria-label={label}
      placeholder={label}
      defaultValue={value ?? ''}
      w={180}
      onBlur={onText(apply)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value);
      }}
    />
  );
}
