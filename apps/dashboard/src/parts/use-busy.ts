import { useEffect, useRef, useState } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** An act of a button, and whether it is under way. */
export interface Busy {
  isBusy: boolean;
  /** Acts, unless the act is under way. @returns true when it succeeded */
  run: () => Promise<boolean>;
}

/**
 * Keeps an act from running twice at the same time. A call that the act makes shows its failure itself. The focus that a
 * busy button loses comes back to it.
 *
 * @param act whose promise ends with it, as that of `mutateAsync`; one without a promise has ended when it returns
 */
export function useBusy(act: () => Promise<unknown> | void): Busy {
  const [isBusy, setBusy] = useState(false);
  const hasBegun = useRef(false);
  const keepFocus = useKeptFocus(isBusy);
  const run = async (): Promise<boolean> => {
    // the second half of a double click may come before the button is disabled
    if (hasBegun.current) return false;
    hasBegun.current = true;
    keepFocus();
    try {
      const acting = act();
      if (acting instanceof Promise) setBusy(true);
      await acting;
      return true;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      return false;
    } finally {
      hasBegun.current = false;
      setBusy(false);
    }
  };
  return { isBusy, run };
}

/**
 * Gives the focus back to the element that has it now, once the act has ended and nothing else has taken it. A button
 * that is disabled then leaves it to the first field of its form.
 */
function useKeptFocus(isBusy: boolean): () => void {
  const from = useRef<Element>(null);
  useEffect(() => {
    if (isBusy) return;
    const element = from.current;
    from.current = null;
    if (!(element instanceof HTMLElement) || document.activeElement !== document.body) return;
    const field = element.closest('form')?.querySelector<HTMLElement>('input, textarea');
    (element.matches(':disabled') ? field : element)?.focus({ preventScroll: true });
  }, [isBusy]);
  return () => {
    from.current = document.activeElement;
  };
}
