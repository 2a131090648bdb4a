import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ChoiceFilterProps extends Pick<SelectProps, 'data' | 'placeholder' | 'searchable' | 'w'> {
  /** Also its placeholder, unless there is another. */
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter of a list that takes one of some values, or none. */
export function ChoiceFilter({ label, value, onChange, ...looks }: ChoiceFilterProps): ReactNode {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      clearable
      {...looks}
    />
  );
}
