import type { ReactNode } from 'react';
import classes from './field-group.module.css';

/** Fields that are disabled together, as for those who may only read. It has no look. */
export function FieldGroup({ disabled, children }: { disabled: boolean; children: ReactNode }): ReactNode {
  return (
    <fieldset disabled={disabled} className={classes['group']}>
      {children}
    </fieldset>
  );
}
