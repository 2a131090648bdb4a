import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorState } from '../parts/error-state.tsx';

/** The state of a page that could not be shown. */
export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState failure={error} onRetry={again} />;
}
