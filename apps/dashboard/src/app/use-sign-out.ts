import { endSession } from '@signalbox/client';
import { useAct } from '../api/use-act.ts';

/** Returns a function that ends the session and opens the sign-in page with an empty memory. */
export function useSignOut(): () => void {
  const { mutate } = useAct(() => endSession());
  return () =>
    mutate(undefined, { onSuccess: () => window.location.assign(`${import.meta.env.BASE_URL}sign-in`) });
}
