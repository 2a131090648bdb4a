import { NumberInput, type NumberInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** A number, or '' while the field holds none. */
export type TypedNumber = number | '';

interface NumberFieldProps extends Pick<NumberInputProps, 'label' | 'min' | 'max' | 'error'> {
  value: TypedNumber;
  onChange: (value: TypedNumber) => void;
}

/** A field for a whole number that is required: it stays empty once it is emptied, and says so. */
export function NumberField({ error, value, onChange, ...field }: NumberFieldProps): ReactNode {
  return (
    <NumberInput
      {...field}
      allowDecimal={false}
      value={value}
      error={value === '' ? 'Enter a number.' : error}
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : '')}
    />
  );
}
