import type { ReactNode } from 'react';

/** Fields that are disabled together, as for those who may only read. It has no look. */
export function FieldGroup({ disabled, children }: { disabled: boolean; children: ReactNode }): ReactNode {
  return (
    <fieldset disabled={disabled} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      {children}
    </fieldset>
  );
}
