import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Scope } from '../app/session.ts';
import { useMay } from '../app/use-session.ts';
import { EmptyState } from './empty-state.tsx';

/** Content for those who may write with a scope; others read that their role does not allow it. */
export function NeedsRight({ scope, children }: { scope: Scope; children: ReactNode }): ReactNode {
  if (useMay(scope)) return children;
  return (
    <EmptyState
      icon={IconLock}
      title="Your role does not allow this"
      text="Ask an admin of the account for a role that may do it."
    />
  );
}
