import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { instantOf, localInput } from './local-time.ts';
import { onText } from './on-text.ts';

interface TimeInputProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange' | 'type'> {
  label: string;
  /** True where the label is drawn in the field, in front of the time. */
  isInline?: boolean;
  /** ISO 8601 instant. */
  value?: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A day and a time in the zone of the viewer, by the browser's own field: it is written and read as the viewer's others. */
export function TimeInput({ label, isInline = false, value, onChange, ...rest }: TimeInputProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(localInput(value));
  const change = (text: string) => {
    setTyped(text);
    onChange(instantOf(text));
  };
  const clear = () => {
    change('');
    field.current?.focus();
  };
  return (
    <TextInput
      {...rest}
      {...(isInline ? { ...INLINE, leftSection: label, 'aria-label': label } : { label })}
      ref={field}
      type="datetime-local"
      // a year that is still typed keeps its digits
      value={instantOf(typed) === value ? typed : localInput(value)}
      onChange={onText(change)}
      rightSection={
        value !== undefined && <CloseButton size="sm" aria-label={`Clear ${label}`} onClick={clear} />
      }
    />
  );
}

const INLINE = {
  leftSectionWidth: 52,
  leftSectionProps: { style: { fontSize: 13, color: 'var(--sb-quiet)' } },
} as const;
