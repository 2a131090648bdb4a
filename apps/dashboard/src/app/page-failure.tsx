import { getMe } from '@signalbox/client';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect } from 'react';
import { isTemporary } from '../api/failure.ts';
import { ErrorState } from '../parts/error-state.tsx';

const RETRY_MS = 5_000;

/** The state of a page that could not be shown. It tries again once the api is there. */
export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const again = useCallback(() => {
    reset();
    void router.invalidate();
  }, [router, reset]);
  const hasHope = isTemporary(error);
  useEffect(() => {
    if (!hasHope) return;
    const look = async () => {
      const { response } = await getMe();
      if (response && !isOut(response)) again();
    };
    const timer = setInterval(() => void look(), RETRY_MS);
    return () => clearInterval(timer);
  }, [hasHope, again]);
  return <ErrorState failure={error} onRetry={again} />;
}

function isOut({ status }: Response): boolean {
  return status >= 500;
}
