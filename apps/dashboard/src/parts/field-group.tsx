import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './field-group.module.css';

/** Fields of a form. It has no look, and says so to those who may only read them. */
export function FieldGroup({ readOnly, children }: { readOnly: boolean; children: ReactNode }): ReactNode {
  return (
    <fieldset disabled={readOnly} className={classes['group']}>
      {readOnly && (
        <Text size="sm" c="dimmed" mb="sm">
          Your role can only read this. Ask an admin of the account to change it.
        </Text>
      )}
      {children}
    </fieldset>
  );
}
