import { useRef, useState } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** An act of a button, and whether it is under way. */
export interface Busy {
  isBusy: boolean;
  /** Acts, unless the act is under way. @returns true when it succeeded */
  run: () => Promise<boolean>;
}

/**
 * Keeps an act from running twice at the same time. A call that the act makes shows its failure itself.
 *
 * @param act whose promise ends with it, as that of `mutateAsync`; one without a promise has ended when it returns
 */
export function useBusy(act: () => Promise<unknown> | void): Busy {
  const [isBusy, setBusy] = useState(false);
  const hasBegun = useRef(false);
  const run = async (): Promise<boolean> => {
    // the second half of a double click may come before the button is disabled
    if (hasBegun.current) return false;
    hasBegun.current = true;
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
