import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import { Form } from './form.tsx';
import { onText } from './on-text.ts';

interface FindFormProps {
  label: string;
  value: string;
  /** The reason why nothing can be found by the value. */
  problem: string | undefined;
  onChange: (value: string) => void;
  onFind: () => void;
  onBlur?: () => void;
  style?: CSSProperties;
}

/** A field whose value Enter finds. */
export function FindForm({
  label,
  value,
  problem,
  onChange,
  onFind,
  onBlur,
  style,
}: FindFormProps): ReactNode {
  return (
    <Form role="search" onSubmit={onFind} {...(style && { style })}>
      <TextInput
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={16} />}
        value={value}
        error={problem}
        onBlur={onBlur}
        onChange={onText(onChange)}
      />
    </Form>
  );
}
