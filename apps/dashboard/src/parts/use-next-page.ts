import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Opens the page that follows a save, without a question about unsaved input. Its promise ends when that page is shown. It
 * does nothing once the form is gone: its user is elsewhere.
 */
export function useNextPage(): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return async (next) => {
    if (!isGone.current) await navigate({ ...next, ignoreBlocker: true });
  };
}
