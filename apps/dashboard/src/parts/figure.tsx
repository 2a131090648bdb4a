import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figure.module.css';

interface FigureProps {
  label: ReactNode;
  /** The number; a dash while it is not known. One with no-break spaces is set smaller where it is long. */
  value: ReactNode;
  /** Line below the number, such as the same over a longer time. */
  detail?: ReactNode;
  /** Tooltip that explains the number. */
  hint?: string;
  /** Shows the number as trouble. */
  isBad?: boolean;
}

/** Characters that fit in one line of the narrowest card at full size. */
const MAX_LENGTH = 13;

/** A number with its name, on a card. */
export function Figure({ label, value, detail, hint = '', isBad = false }: FigureProps): ReactNode {
  return (
    <Card padding="sm" title={hint}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text
        component="div"
        className={classes['value']!}
        mod={{ long: typeof value === 'string' && value.includes('\u00a0') && value.length > MAX_LENGTH }}
        {...(isBad && { c: 'var(--sb-bad)' })}
      >
        {value ?? '–'}
      </Text>
      {detail !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {detail}
        </Text>
      )}
    </Card>
  );
}
