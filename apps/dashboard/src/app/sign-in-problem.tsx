import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/failure.ts';

/** The reason for which a sign-in failed; a code that is asked for is no failure. */
export function SignInProblem({ failure }: { failure: ApiFailure | null }): ReactNode {
  if (!failure || failure.code === 'code_required') return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
      {failure.message}
    </Alert>
  );
}
