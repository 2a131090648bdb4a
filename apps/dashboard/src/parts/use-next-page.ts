import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useIsLeaving } from './use-is-leaving.ts';

/**
 * Opens the page that follows a save, without a question about unsaved input. Its promise ends when that page is shown. It
 * does nothing once the form is gone or its page is being left: its user wants to be elsewhere.
 */
export function useNextPage(): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isLeaving = useIsLeaving();
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return async (next) => {
    if (!isGone.current && !isLeaving()) await navigate({ ...next, ignoreBlocker: true });
  };
}
